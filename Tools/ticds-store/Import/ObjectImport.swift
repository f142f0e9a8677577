import CommandLineTool
import ObjectStore
import StoreAccess

/// Makes objects of lines, in a context that is saved as a whole.
final class ObjectImport {
  typealias Links = (property: Int, targets: [Int])

  let context: ManagedObjectContext
  let store: PersistentStore
  let problems: ImportProblems
  let isLossy: Bool
  /// What each line made, and the related objects that it names, by their place in `objects`.
  var lines: [(number: Int, object: ManagedObject, links: [Links])] = []
  /// The place of an identifier in `objects`; it may be named before its object comes.
  private var places: [String: Int] = [:]
  var identifiers: [String] = []
  var objects: [ManagedObject?] = []
  /// Of relationships to many without inverse of which the rows of the destination name the owner, who was named by which object.
  var owners: [Ownership: Int] = [:]

  /// An object in a relationship that admits one owner for it.
  struct Ownership: Hashable {
    let owner: Int
    let property: String
    let object: Int
  }

  init(
    _ context: ManagedObjectContext, _ store: PersistentStore, _ problems: ImportProblems, isLossy: Bool
  ) {
    self.context = context
    self.store = store
    self.problems = problems
    self.isLossy = isLossy
  }

  /// How many objects were made.
  var count: Int { lines.count }

  // MARK: Lines

  /// Values in a line at most: an object is not written with so many links, nor a transformable with so many parts.
  private static let valueLimit = 1 << 22

  /// Makes the object of a line. What is wrong with it goes to the problems.
  func read(_ bytes: [UInt8], number: Int) throws {
    let line: JSONDocument.Node
    do { line = try JSONDocument(bytes, valueLimit: Self.valueLimit).root } catch {
      return problems.add(line: number, "is no JSON that can be read: \(error.reason)")
    }
    guard case .object(let members) = line.content else {
      return problems.add(line: number, "is no JSON object")
    }
    if let place = members["leftOut"] {
      var name = "something"
      if case .string(let text) = place.content { name = "“\(text)”" }
      return leave(number, "\(name) of the store was left out when this was written")
    }
    let known: Set = ["entity", "id", "attributes", "relationships"]
    for key in members.keys.sorted() where !known.contains(key) {
      problems.add(line: number, "“\(key)” is none of \(known.sorted().joined(separator: ", "))")
    }
    guard case .string(let name)? = members["entity"]?.content else {
      return problems.add(line: number, "“entity” is missing, or no text")
    }
    guard let entity = store.model.entity(named: name) else {
      return problems.add(line: number, "the store has no entity “\(name)”")
    }
    guard !entity.isAbstract else {
      return problems.add(line: number, "“\(name)” is abstract, so there are no objects of it")
    }
    let object = try context.insert(entity)
    try identify(object, members["id"], number)
    set(object, members["attributes"], number)
    lines.append((number, object, links(of: object, members["relationships"], number)))
  }

  private func identify(_ object: ManagedObject, _ node: JSONDocument.Node?, _ number: Int) throws {
    guard let node else { return }
    guard case .string(let identifier) = node.content else {
      return problems.add(line: number, "“id” is no text")
    }
    let place = place(of: identifier)
    guard objects[place] == nil else {
      return problems.add(line: number, "the id “\(identifier)” comes a second time")
    }
    if try existing(identifier) != nil {
      problems.add(
        line: number, "the object “\(identifier)” is in the store already; take away its line or its id")
    }
    objects[place] = object
  }

  private func set(_ object: ManagedObject, _ node: JSONDocument.Node?, _ number: Int) {
    guard let node else { return }
    guard case .object(let members) = node.content else {
      return problems.add(line: number, "“attributes” is no JSON object")
    }
    let entity = object.entity
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let index = entity.index(of: name), let attribute = entity.attribute(at: index) else {
        problems.add(line: number, "\(entity.name) has no attribute “\(name)”")
        continue
      }
      guard !attribute.isTransient else {
        problems.add(line: number, "\(entity.name).\(name) is transient, so a store does not keep it")
        continue
      }
      // The save computes it from what it is derived from.
      if attribute.derivation != nil { continue }
      if ValueJSON.isMissingFile(value) {
        leave(number, "the file of \(entity.name).\(name) was missing when this was written")
        continue
      }
      do throws(ValueJSON.Refusal) {
        let value = try ValueJSON.value(value, attribute.type)
        if value.isNotANumber {
          leave(number, "\(entity.name).\(name) is no number, and SQLite keeps nothing in its place")
        } else if !value.isKeptExactly {
          leave(
            number,
            "\(entity.name).\(name) has more digits than the fifteen that SQLite keeps of a decimal number")
        } else {
          object.setValue(value, at: index)
        }
      } catch {
        problems.add(line: number, "\(entity.name).\(name) \(error.reason)")
      }
    }
  }

  private func links(of object: ManagedObject, _ node: JSONDocument.Node?, _ number: Int) -> [Links] {
    guard let node else { return [] }
    guard case .object(let members) = node.content else {
      problems.add(line: number, "“relationships” is no JSON object")
      return []
    }
    let entity = object.entity
    var links: [Links] = []
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let index = entity.index(of: name), let relationship = entity.relationship(at: index) else {
        problems.add(line: number, "\(entity.name) has no relationship “\(name)”")
        continue
      }
      guard !relationship.isTransient else {
        problems.add(line: number, "\(entity.name).\(name) is transient, so a store does not keep it")
        continue
      }
      guard let targets = targets(value, isToMany: relationship.isToMany) else {
        let form = relationship.isToMany ? "no list of ids" : "neither an id nor null"
        problems.add(line: number, "\(entity.name).\(name) is \(form)")
        continue
      }
      if Set(targets).count < targets.count {
        problems.add(line: number, "\(entity.name).\(name) names an object twice")
      }
      links.append((index, targets))
    }
    return links
  }

  private func targets(_ node: JSONDocument.Node, isToMany: Bool) -> [Int]? {
    switch node.content {
    case .null where !isToMany: return []
    case .string(let identifier) where !isToMany: return [place(of: identifier)]
    case .array(let nodes) where isToMany:
      var places: [Int] = []
      for node in nodes {
        guard case .string(let identifier) = node.content else { return nil }
        places.append(place(of: identifier))
      }
      return places
    default: return nil
    }
  }

  private func place(of identifier: String) -> Int {
    if let place = places[identifier] { return place }
    places[identifier] = objects.count
    identifiers.append(identifier)
    objects.append(nil)
    return objects.count - 1
  }

  /// The object of the store that an identifier means.
  func existing(_ identifier: String) throws -> ManagedObject? {
    guard let identifier = store.objectID(uri: identifier) else { return nil }
    return try context.existingObject(for: identifier)
  }

  /// Something cannot be brought in: a mistake, unless it may be left out.
  func leave(_ number: Int, _ sentence: String) {
    if isLossy { problems.note(line: number, sentence) } else { problems.add(line: number, sentence) }
  }
}
