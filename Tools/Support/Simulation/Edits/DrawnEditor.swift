import ChangeTracking
import Foundation
import ObjectStore

/// Edits the objects of one context at random, whatever the model.
struct DrawnEditor {
  let client: SimulatedClient
  let context: ManagedObjectContext

  var features: Features { client.features }
  var values: DrawnValues { DrawnValues(features: features) }

  func editOnce(using random: inout SeededRandomSource) throws {
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: _ = try insert(using: &random)
    case 4...7:
      if let object = try any(using: &random) { setAttribute(of: object, using: &random) }
    case 8...13:
      if let object = try any(using: &random) { try setRelationship(of: object, using: &random) }
    case 14: if let object = try any(using: &random) { delete(object) }
    default: try editIdentity(using: &random)
    }
  }

  // MARK: Choosing

  /// Any object that is not deleted, in the order of sync IDs, so that a run is reproducible whatever the order of rows.
  func any(_ entity: String, using random: inout SeededRandomSource) throws -> ManagedObject? {
    let objects = try context.fetch(FetchRequest<ManagedObject>(entity: entity)).filter { !$0.isDeleted }
    return objects.map { (text: sortText($0), object: $0) }
      .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
      .randomElement(using: &random)?.object
  }

  private func sortText(_ object: ManagedObject) -> String {
    // New objects with a natural key have no identifier yet.
    let values = object.entity.properties.filter { $0.asAttribute != nil }.map {
      PlainText.value(object[$0.name])
    }
    return "\(SimulatedClient.identifier(object)) \(object.entity.name) \(values)"
  }

  func any(using random: inout SeededRandomSource) throws -> ManagedObject? {
    let roots = client.store.model.entities.filter { $0.parent == nil }
    guard let root = roots.randomElement(using: &random) else { return nil }
    return try any(root.name, using: &random)
  }

  private func anyConcrete(using random: inout SeededRandomSource) -> EntityDescription? {
    client.store.model.entities.filter { !$0.isAbstract }.randomElement(using: &random)
  }

  // MARK: Inserting and deleting

  func insert(using random: inout SeededRandomSource) throws -> ManagedObject? {
    guard let object = try insertAlone(using: &random) else { return nil }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      try setRelationship(of: object, using: &random)
    }
    return object
  }

  /// A new object without relationships.
  @discardableResult
  func insertAlone(using random: inout SeededRandomSource) throws -> ManagedObject? {
    guard let entity = anyConcrete(using: &random) else { return nil }
    let key = keyAttribute(of: entity).map { ($0, anyKey($0, of: entity, using: &random)) }
    // A user looks whether there is one; not always, and programs do not.
    if let (name, value) = key, !random.oneIn(4) {
      let request = FetchRequest<ManagedObject>(entity: topmost(entity, with: name).name).where(
        .property(PropertyName(name), equals: value))
      if try context.fetch(request).contains(where: { !$0.isDeleted }) { return nil }
    }
    let object = try context.insert(entity)
    if let (name, value) = key { object[name] = value }
    for attribute in entity.properties.compactMap(\.asAttribute)
    where attribute.name != SyncModelKey.syncID && attribute.name != key?.0 && random.oneIn(2) {
      set(attribute, of: object, using: &random)
    }
    if features.has(.chosenIdentifiers), random.oneIn(3) {
      object[SyncModelKey.syncID] = .string(chosenIdentifier(of: object.entity, using: &random))
    }
    client.trace("inserts \(sortText(object))")
    return object
  }

  /// The topmost parent of an entity that has a property too. It is not the root where the entity that declares it got a parent later.
  private func topmost(_ entity: EntityDescription, with property: String) -> EntityDescription {
    sequence(first: entity, next: \.parent).reversed().first { $0.index(of: property) != nil } ?? entity
  }

  func delete(_ object: ManagedObject) {
    client.trace("deletes \(object.entity.name) \(SimulatedClient.identifier(object))")
    context.delete(object)
  }

  // MARK: Attributes

  func keyAttribute(of entity: EntityDescription) -> String? {
    entity.userInfo[SyncModelKey.naturalKey]
  }

  func anyKey(
    _ name: String, of entity: EntityDescription, using random: inout SeededRandomSource
  ) -> AttributeValue {
    values.key(entity.property(named: name)?.asAttribute?.type ?? .string, using: &random)
  }

  func constrained(in entity: EntityDescription) -> Set<String> {
    client.store.model.constrainedAttributes(of: entity)
  }

  private func setAttribute(of object: ManagedObject, using random: inout SeededRandomSource) {
    let attributes = object.entity.properties.compactMap(\.asAttribute).filter {
      $0.name != SyncModelKey.syncID
        && (features.has(.remadeKeys) || $0.name != keyAttribute(of: object.entity))
    }
    guard let attribute = attributes.randomElement(using: &random) else { return }
    set(attribute, of: object, using: &random)
    client.noteUnsaved(attribute.name, of: object, in: context)
    client.trace(
      "sets \(SimulatedClient.identifier(object)).\(attribute.name) to \(PlainText.value(object[attribute.name]))"
    )
  }

  private func set(
    _ attribute: AttributeDescription, of object: ManagedObject, using random: inout SeededRandomSource
  ) {
    let merge = attribute.userInfo[SyncModelKey.merge].map { MergeKind($0) } ?? .latest
    if merge == .counter { return count(attribute, of: object, using: &random) }
    // A maximum that is cleared shows again, which is a rule of its own.
    if attribute.isOptional, !merge.isFolded, random.oneIn(5) {
      object[attribute.name] = .null
    } else if isKey(attribute, of: object.entity) {
      object[attribute.name] = values.key(attribute.type, using: &random)
    } else {
      object[attribute.name] = values.value(of: attribute, using: &random)
    }
  }

  private func isKey(_ attribute: AttributeDescription, of entity: EntityDescription) -> Bool {
    attribute.name == keyAttribute(of: entity) || constrained(in: entity).contains(attribute.name)
  }

  private func count(
    _ attribute: AttributeDescription, of object: ManagedObject, using random: inout SeededRandomSource
  ) {
    if features.has(.bigCounters), let range = attribute.type.wholeNumbers {
      return countFar(attribute, of: object, range, using: &random)
    }
    let step = Int64.random(in: -3...3, using: &random)
    switch (attribute.type, object[attribute.name]) {
    case (.integer64, .integer(let now)):
      // What becomes a counter with a version may be at the bound.
      let (sum, isOver) = now.addingReportingOverflow(step)
      object[attribute.name] = .integer(isOver ? now : sum)
    case (.double, .double(let now)): object[attribute.name] = .double(now + Double(step) / 10)
    case (.decimal, .decimal(let now)): object[attribute.name] = .decimal(now + Decimal(step) / 10)
    case (.double, _): object[attribute.name] = .double(Double(step))
    case (.decimal, _): object[attribute.name] = .decimal(Decimal(step))
    default: object[attribute.name] = .integer(step)
    }
  }

  /// Counts by little, or to and fro between the bounds of the type.
  private func countFar(
    _ attribute: AttributeDescription, of object: ManagedObject, _ range: ClosedRange<Int64>,
    using random: inout SeededRandomSource
  ) {
    let bounds = [range.lowerBound, range.upperBound, range.upperBound / 2 + 1, 0]
    guard case .integer(let now) = object[attribute.name], random.oneIn(2) else {
      object[attribute.name] = .integer(bounds.randomElement(using: &random) ?? 0)
      return
    }
    let (sum, isOver) = now.addingReportingOverflow(Int64.random(in: -3...3, using: &random))
    object[attribute.name] = .integer(isOver || !range.contains(sum) ? now : sum)
  }
}
