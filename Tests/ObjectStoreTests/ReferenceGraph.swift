import ObjectStore

/// What a graph of objects should be, kept in dictionaries and without any cleverness.
struct ReferenceGraph {
  struct Node {
    let entity: EntityDescription
    var values: [String: AttributeValue] = [:]
    /// Members in order; at most one of a to-one relationship.
    var related: [String: [Int]] = [:]
  }

  let model: ManagedObjectModel
  var nodes: [Int: Node] = [:]

  mutating func insert(_ identifier: Int, _ entity: EntityDescription) {
    var node = Node(entity: entity)
    for property in entity.properties {
      if let attribute = property.asAttribute { node.values[attribute.name] = attribute.defaultValue }
    }
    nodes[identifier] = node
  }

  private func relationship(_ identifier: Int, _ name: String) -> RelationshipDescription? {
    nodes[identifier]?.entity.property(named: name)?.asRelationship
  }

  mutating func unlink(_ source: Int, _ name: String, _ target: Int) {
    nodes[source]?.related[name]?.removeAll { $0 == target }
    guard let inverse = relationship(source, name)?.inverse else { return }
    nodes[target]?.related[inverse]?.removeAll { $0 == source }
  }

  mutating func link(_ source: Int, _ name: String, _ target: Int, at position: Int? = nil) {
    guard let relationship = relationship(source, name) else { return }
    let isLinked = nodes[source]?.related[name, default: []].contains(target) == true
    if isLinked {
      if let position, relationship.isOrdered {
        nodes[source]?.related[name]?.removeAll { $0 == target }
        place(target, in: source, name, at: position)
      }
      return
    }
    if !relationship.isToMany, let old = nodes[source]?.related[name]?.first { unlink(source, name, old) }
    if let inverse = relationship.inverse, !relationship.inverseIsToMany,
      let old = nodes[target]?.related[inverse]?.first
    {
      unlink(old, name, target)
    }
    place(target, in: source, name, at: relationship.isOrdered ? position : nil)
    if let inverse = relationship.inverse, !(relationship.isOwnInverse && source == target) {
      place(source, in: target, inverse, at: nil)
    }
  }

  private mutating func place(_ target: Int, in source: Int, _ name: String, at position: Int?) {
    var members = nodes[source]?.related[name] ?? []
    members.insert(target, at: min(position ?? members.count, members.count))
    nodes[source]?.related[name] = members
  }

  mutating func delete(_ identifier: Int) {
    var doomed: Set<Int> = []
    var pending = [identifier]
    while let next = pending.popLast() {
      guard let node = nodes[next], doomed.insert(next).inserted else { continue }
      for (name, members) in node.related where relationship(next, name)?.deleteRule == .cascade {
        pending += members
      }
    }
    for gone in doomed { nodes[gone] = nil }
    for identifier in nodes.keys {
      for name in nodes[identifier]?.related.keys.map({ $0 }) ?? [] {
        nodes[identifier]?.related[name]?.removeAll { doomed.contains($0) }
      }
    }
  }
}
