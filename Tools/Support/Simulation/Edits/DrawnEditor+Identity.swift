import ChangeTracking
import ObjectStore

/// What an application does to identifiers and natural keys.
extension DrawnEditor {
  /// An identifier that the application makes by itself: one of few, so that devices choose the same.
  ///
  /// Not the same for objects that a version tells apart because their entities go to two families: a device of the former version takes
  /// them for one, and has only one row to show.
  func chosenIdentifier(of entity: EntityDescription, using random: inout SeededRandomSource) -> String {
    let chosen = chosenIdentifier(using: &random)
    guard features.has(.subEntityMoves) || features.has(.freedEntities) else { return chosen }
    let name =
      entity.name.hasSuffix(DrawnModel.renamed)
      ? entity.name.dropLast(DrawnModel.renamed.count) : entity.name[...]
    return "\(name) \(chosen)"
  }

  private func chosenIdentifier(using random: inout SeededRandomSource) -> String {
    if features.has(.lookAlikes), random.oneIn(3) { return DrawnValues.lookAlike(using: &random) }
    let number = Int.random(in: 0..<5, using: &random)
    // Canonical, in lower case (which is another text), and no UUID at all.
    return [
      "0000000\(number)-0000-4000-8000-000000000000", "abcdef0\(number)-0000-4000-8000-000000000000",
      "chosen \(number)", "🙂\(number)",
    ].randomElement(using: &random) ?? ""
  }

  func editIdentity(using random: inout SeededRandomSource) throws {
    if features.has(.copiedIdentifiers), random.oneIn(2) { return try duplicate(using: &random) }
    if features.has(.remadeKeys) { return try remakeKey(using: &random) }
  }

  /// Copies an object with all its attributes, its identifier among them.
  private func duplicate(using random: inout SeededRandomSource) throws {
    guard let object = try any(using: &random) else { return }
    let copy = try context.insert(object.entity)
    for attribute in object.entity.properties.compactMap(\.asAttribute)
    where !constrained(in: object.entity).contains(attribute.name) {
      copy[attribute.name] = object[attribute.name]
    }
    client.trace("duplicates \(SimulatedClient.identifier(object))")
  }

  /// Deletes an object with a natural key and makes another one with the same, or gives one object's key to another.
  private func remakeKey(using random: inout SeededRandomSource) throws {
    guard let object = try any(using: &random), let key = keyAttribute(of: object.entity) else { return }
    let value = object[key]
    if random.oneIn(3) {
      object[key] = anyKey(key, of: object.entity, using: &random)
      client.noteUnsaved(key, of: object, in: context)
      client.trace("moves the key of \(SimulatedClient.identifier(object))")
    } else {
      delete(object)
    }
    let next = try context.insert(object.entity)
    next[key] = value
    client.trace("makes the key \(PlainText.value(value)) anew")
  }
}
