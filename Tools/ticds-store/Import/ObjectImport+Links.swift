import CommandLineTool
import ObjectStore

extension ObjectImport {
  /// Relates the objects as the lines say, once all are there.
  func link() throws {
    for index in lines.indices {
      let (number, object, links) = lines[index]
      lines[index].links = try links.map { link in
        (
          link.property,
          try link.targets.filter {
            try admits($0, object, link.property, number) && owns($0, object, link.property, number)
          }
        )
      }
    }
    // Lists with an order come first: what the other side says then finds each member in its place, and moves none.
    for pass in Pass.allCases {
      for line in lines {
        for link in line.links {
          guard let relationship = line.object.entity.relationship(at: link.property),
            Pass(relationship) == pass
          else { continue }
          let targets = link.targets.compactMap { objects[$0] }
          switch pass {
          case .ordered where line.object.members(at: link.property).isEmpty:
            // One behind the other, for a list that has none yet: to place each anew would take time with the square of their number.
            for target in targets { line.object.insertMember(target, at: link.property, position: nil) }
          case .ordered: line.object.setMembers(targets, at: link.property)
          case .toOne:
            if let target = targets.first { line.object.setTarget(target, at: link.property) }
          case .unordered:
            for target in targets { line.object.insertMember(target, at: link.property, position: nil) }
          }
        }
      }
    }
    for line in lines { for link in line.links { check(link, of: line.object, line.number) } }
  }

  private enum Pass: CaseIterable {
    case ordered, toOne, unordered

    init(_ relationship: RelationshipDescription) {
      self = !relationship.isToMany ? .toOne : relationship.isOrdered ? .ordered : .unordered
    }
  }

  private func admits(_ place: Int, _ object: ManagedObject, _ property: Int, _ number: Int) throws -> Bool {
    let name = "\(object.entity.name).\(object.entity.properties[property].name)"
    if objects[place] == nil { objects[place] = try existing(identifiers[place]) }
    guard let target = objects[place] else {
      leave(number, "\(name) names “\(identifiers[place])”, which is neither in the input nor in the store")
      return false
    }
    guard let relationship = object.entity.relationship(at: property) else { return false }
    let destination = store.model.entities[relationship.destinationIndex]
    guard target.entity.isKind(of: destination) else {
      let kinds = "\(Self.withArticle(target.entity.name)) and no \(destination.name)"
      leave(number, "\(name) names “\(identifiers[place])”, which is \(kinds)")
      return false
    }
    return true
  }

  /// Names with U are left to “a”, for “a User” and “a URL” are more common than what begins with the other sound.
  private static func withArticle(_ name: String) -> String {
    name.first.map { "AEIOaeio".contains($0) } == true ? "an \(name)" : "a \(name)"
  }

  /// Whether no other line has named an object that can have one owner only.
  private func owns(_ place: Int, _ object: ManagedObject, _ property: Int, _ number: Int) -> Bool {
    guard let relationship = object.entity.relationship(at: property), relationship.isToMany,
      relationship.inverse == nil,
      case .join(let side) = store.schema.table(of: object.entity).storage[property], side.table.isInTarget
    else { return true }
    let ownership = Ownership(owner: relationship.ownerIndex, property: relationship.name, object: place)
    guard let line = owners[ownership] else {
      owners[ownership] = number
      return true
    }
    leave(
      number,
      "\(object.entity.name).\(relationship.name) names “\(identifiers[place])”, as line \(line) does, and the row of an object names one owner only"
    )
    return false
  }

  /// Whether an object has just what its line says: the other sides, which say the same again, may have said something else.
  private func check(_ link: Links, of object: ManagedObject, _ number: Int) {
    guard let relationship = object.entity.relationship(at: link.property) else { return }
    let said = link.targets.compactMap { objects[$0].map { ObjectIdentifier($0) } }
    let isSo: Bool
    if relationship.isToMany {
      let members = object.members(at: link.property).map { ObjectIdentifier($0) }
      isSo = relationship.isOrdered ? members == said : Set(members) == Set(said)
    } else {
      isSo = object.target(at: link.property).map { ObjectIdentifier($0) } == said.first
    }
    if isSo { return }
    leave(
      number,
      "\(object.entity.name).\(relationship.name) does not agree with what other lines say of its inverse "
        + "“\(relationship.inverse ?? relationship.name)”")
  }
}
