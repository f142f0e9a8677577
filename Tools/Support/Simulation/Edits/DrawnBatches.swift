import ChangeTracking
import ObjectStore

/// Batch requests of an application.
struct DrawnBatches {
  let client: SimulatedClient
  let context: ManagedObjectContext

  func run(using random: inout SeededRandomSource) throws {
    let entities = client.store.model.entities.filter { !$0.isAbstract }
    guard let entity = entities.randomElement(using: &random) else { return }
    let editor = DrawnEditor(client: client, context: context)
    let constrained = editor.constrained(in: entity)
    func isKey(_ attribute: AttributeDescription) -> Bool {
      attribute.name == editor.keyAttribute(of: entity) || constrained.contains(attribute.name)
    }
    let attributes = entity.properties.compactMap(\.asAttribute).filter { attribute in
      attribute.name != SyncModelKey.syncID
        && (client.features.has(.batchKeys)
          || attribute.userInfo[SyncModelKey.merge] == nil && !isKey(attribute))
    }
    guard let attribute = attributes.randomElement(using: &random) else { return }
    let value =
      isKey(attribute)
      ? editor.anyKey(attribute.name, of: entity, using: &random)
      : editor.values.value(of: attribute, using: &random)
    let name = PropertyName(attribute.name)
    let request = FetchRequest<ManagedObject>(entity: entity.name)
    do {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        client.trace("deletes \(entity.name) in a batch")
        // Requests do not compare what may lie in a file of its own.
        let compared = attribute.allowsExternalStorage ? .null : value
        try context.deleteRows(request.where(.property(name, equals: compared)))
      case 1, 2:
        client.trace("inserts \(entity.name) in a batch")
        try context.insertRows(entity: entity.name, from: 0..<2) { row, _ in row[name] = value }
      default:
        client.trace("sets \(entity.name).\(attribute.name) in a batch")
        try context.updateRows(request, .set(name, to: value))
      }
    } catch let error as SaveError {
      client.trace("is refused: \(error)")
      client.refusals += 1
    }
  }
}
