import ObjectStore

/// Relationships of all kinds, from either side.
extension DrawnEditor {
  func setRelationship(of object: ManagedObject, using random: inout SeededRandomSource) throws {
    let relationships = object.entity.properties.compactMap(\.asRelationship)
    guard let relationship = relationships.randomElement(using: &random),
      let target = try any(relationship.destination, using: &random)
    else { return }
    let name = relationship.name
    if relationship.isToMany {
      setMembers(of: object, relationship, target, using: &random)
    } else if random.oneIn(5) {
      object.setTarget(nil, name)
    } else {
      object.setTarget(target, name)
    }
    client.trace(
      "relates \(SimulatedClient.identifier(object)).\(name) to \(SimulatedClient.identifier(target))")
  }

  private func setMembers(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ target: ManagedObject,
    using random: inout SeededRandomSource
  ) {
    guard let index = object.entity.index(of: relationship.name) else { return }
    let members = object.members(at: index)
    let isMember = members.contains { $0 === target }
    if relationship.isOrdered {
      let count = members.count - (isMember ? 1 : 0)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: object.removeMember(target, at: index)
      case 1: object.setMembers(members.shuffled(using: &random), at: index)
      default: object.insertMember(target, at: index, position: Int.random(in: 0...count, using: &random))
      }
    } else if isMember {
      object.removeMember(target, at: index)
    } else {
      object.insertMember(target, at: index, position: nil)
    }
  }
}
