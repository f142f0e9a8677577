/// The properties of all entities below one root, in the order of their bits.
struct PropertyFamily {
  private(set) var all: [(path: NamePath, kind: EntityNames.Property.Kind, destination: EntityNumber?)] = []

  mutating func add(
    _ path: NamePath, _ kind: EntityNames.Property.Kind, _ destination: EntityNumber?
  ) -> PropertyBit {
    all.append((path, kind, destination))
    return PropertyBit(rawValue: all.count - 1)
  }
}

extension KnownEntity {
  /// Takes over the properties of the family that a new entity belongs to.
  func join(_ family: PropertyFamily) {
    properties = family.all.enumerated().map { index, property in
      KnownProperty(
        PropertyBit(rawValue: index), path: property.path, kind: property.kind,
        destination: property.destination)
    }
  }
}
