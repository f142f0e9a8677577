import ChangeTracking
import ObjectStore

/// What a later version makes of who inherits from whom.
extension DrawnModel {
  /// Two roots become sub-entities of a new one.
  ///
  /// - Parameter name: that of the new one.
  mutating func addCommonParent(
    _ name: String, _ renamed: inout Renaming, using random: inout SeededRandomSource
  ) {
    let roots = declarations.indices.filter {
      declarations[$0].parent == nil && declarations[$0].naturalKey == nil
    }
    guard roots.count >= 2 else { return }
    for index in roots.shuffled(using: &random).prefix(2) {
      declarations[index].parent = name
      declarations[index].properties.removeAll { $0.name == SyncModelKey.syncID }
      renamed.roots[declarations[index].name] = name
    }
    var parent = EntityDeclaration(name, parent: nil)
    parent.isAbstract = random.oneIn(2)
    parent.properties = [
      .attribute(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)),
      .attribute(AttributeDescription(name.lowercased() + "common", .string)),
    ]
    declarations.append(parent)
  }

  /// Takes away the constraints of a moved entity on what it inherits no more.
  mutating func dropForeignConstraints(of index: Int) {
    let entities = above(declarations[index].name) + [declarations[index]]
    let known = Set(entities.flatMap(\.properties).map(\.name))
    declarations[index].uniquenessConstraints.removeAll { !known.isSuperset(of: $0) }
  }

  /// A sub-entity that has none itself becomes a root.
  mutating func freeEntity(using random: inout SeededRandomSource) {
    let leaves = declarations.indices.filter {
      declarations[$0].parent != nil && !isParent(declarations[$0].name) && declarations[$0].naturalKey == nil
    }
    guard let index = leaves.randomElement(using: &random) else { return }
    declarations[index].parent = nil
    declarations[index].properties.insert(
      .attribute(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)), at: 0)
    dropForeignConstraints(of: index)
  }
}
