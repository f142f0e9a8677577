/// Relationships that lead to an object again because its deletion was undone, until they are saved or set to something else.
struct RestoredReferences {
  private var entries: [ObjectIdentifier: (object: ManagedObject, properties: PropertyMask)] = [:]

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ object: ManagedObject, at index: Int) -> Bool {
    !entries.isEmpty && entries[ObjectIdentifier(object)]?.properties.contains(index) == true
  }

  mutating func insert(_ object: ManagedObject, at index: Int) {
    entries[ObjectIdentifier(object), default: (object, PropertyMask())].properties.insert(index)
  }

  mutating func remove(_ object: ManagedObject, at index: Int) {
    entries[ObjectIdentifier(object)]?.properties.remove(index)
  }

  mutating func removeAll() { entries = [:] }
}
