/// Finds objects with values that the model wants to be unique, among objects that are shown to it one by one.
///
/// Keeps the values in memory that must be unique, and nothing else of the objects.
struct RepeatedValues {
  /// Two objects with the same values.
  struct Repetition {
    let object: StoredObject.Reference
    let first: StoredObject.Reference
    let properties: [String]
  }

  private struct Values: Hashable {
    /// The entity that declares the constraint, and which of its constraints it is.
    let owner: Int
    let position: Int
    let values: [AttributeValue]
  }

  private let model: ManagedObjectModel
  private let constraints: [[UniquenessConstraint]]
  private var seen: [Values: StoredObject.Reference] = [:]

  init(_ model: ManagedObjectModel) {
    self.model = model
    constraints = model.entities.map { model.uniquenessConstraints(on: $0) }
  }

  /// Returns what an object has in common with one that was shown before. A missing value is equal to none.
  mutating func find(_ object: StoredObject) -> [Repetition] {
    let entity = model.entities[object.reference.entity]
    var found: [Repetition] = []
    for constraint in constraints[entity.index] {
      let values = constraint.properties.compactMap { name in
        entity.index(of: name).flatMap { value(of: object, at: $0, entity) }
      }
      guard values.count == constraint.properties.count else { continue }
      let key = Values(owner: constraint.owner.index, position: constraint.position, values: values)
      if let first = seen[key] {
        found.append(Repetition(object: object.reference, first: first, properties: constraint.properties))
      } else {
        seen[key] = object.reference
      }
    }
    return found
  }

  private func value(of object: StoredObject, at index: Int, _ entity: EntityDescription) -> AttributeValue? {
    guard index < entity.attributeCount else {
      let targets = object.relationships[index - entity.attributeCount]
      return targets.first.map { .reference(entity: Int32($0.entity), key: $0.key) }
    }
    let value = object.attributes[index].stored
    return value.isNull ? nil : value
  }
}

extension RepeatedValues {
  /// How many objects an error names.
  private static let namedLimit = 20

  /// The error that names the objects because of which tables refuse what a source has; `nil` if there are none.
  static func refusal(
    _ path: String, _ source: some StoredObjectSource, uuid: String
  ) throws -> StoreFileError? {
    func uri(_ reference: StoredObject.Reference) -> String {
      "x-coredata://\(uuid)/\(source.model.entities[reference.entity].name)/p\(reference.key)"
    }
    var values = RepeatedValues(source.model)
    var lines: [String] = []
    var count = 0
    try source.forEachObject(of: nil) { object in
      for repetition in values.find(object) {
        count += 1
        guard count <= namedLimit else { continue }
        let names = repetition.properties.joined(separator: ", ")
        lines.append("\(uri(repetition.object)) has the \(names) of \(uri(repetition.first))")
      }
    }
    guard count > 0 else { return nil }
    if count > namedLimit { lines.append("so have \(count - namedLimit) more of others") }
    return StoreFileError(
      .notUnique, path: path,
      "objects have the same values where the model wants them to be unique: "
        + lines.joined(separator: "; "))
  }
}

extension StoreError {
  /// Whether a rule of the tables refused a row.
  var isConstraint: Bool {
    if case .database(let error) = reason { error.code == .constraint } else { false }
  }
}
