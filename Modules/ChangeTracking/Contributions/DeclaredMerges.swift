import ObjectStore

/// How one property is merged, if otherwise than by the latest write.
///
/// Behind references, as ``EntityMerging`` is: names are copied where changes are merged, and most properties have nothing of this.
final class PropertyMerging: Sendable {
  /// How the property is merged here: of kinds that fold, what the cells have been prepared for.
  let adopted: MergeKind
  /// What the local model declares.
  let declared: MergeKind
  let initialValue: AttributeValue

  init(adopted: MergeKind, declared: MergeKind, initialValue: AttributeValue) {
    self.adopted = adopted
    self.declared = declared
    self.initialValue = initialValue
  }

  /// Whether the cells are not prepared for what the model declares.
  var isUnadopted: Bool { adopted != (declared.isFolded ? declared : .latest) }
}

/// The properties of one entity that are merged otherwise than by the latest write.
final class EntityMerging: Sendable {
  /// Those that are folded from contributions.
  let foldedBits: [Int]
  /// Those that merge as one cell, by the name of their group.
  let groups: [String: [Int]]

  /// Gathers them; `nil` if there are none.
  init?(_ properties: [NameTable.Property]) {
    foldedBits = properties.indices.filter { properties[$0].isFolded }
    var groups: [String: [Int]] = [:]
    for (bit, property) in properties.enumerated() where property.local != nil {
      if case .group(let name) = property.declaredMerge { groups[name, default: []].append(bit) }
    }
    self.groups = groups
    if foldedBits.isEmpty, groups.isEmpty { return nil }
  }
}
