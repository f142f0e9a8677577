import Foundation
import ObjectStore

/// A model that is edited at random, and a graph to which the same is done by plain means.
struct EditedModel {
  var declarations: [EntityDeclaration]
  var graph: PlainGraph
  private(set) var history: [String] = []
  private var next = 0

  init(_ model: ManagedObjectModel, _ graph: PlainGraph) {
    declarations = model.entities.map { EntityDeclaration(of: $0) }
    self.graph = graph
  }

  func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities: declarations) }

  // MARK: - Editing

  mutating func edit(using random: inout SeededGenerator) {
    next += 1
    guard let entity = declarations.indices.randomElement(using: &random) else { return }
    let attributes = declarations[entity].properties.indices.filter {
      declarations[entity].properties[$0].asAttribute != nil
    }
    let relationships = declarations[entity].properties.indices.filter {
      declarations[entity].properties[$0].asRelationship != nil
    }
    switch Int.random(in: 0..<11, using: &random) {
    case 0: renameEntity(entity)
    case 1: declarations.append(EntityDeclaration(["Aaa\(next)", "Zzz\(next)"][next % 2]))
    case 2: removeEntity(entity)
    case 3: if let index = attributes.randomElement(using: &random) { renameAttribute(entity, index) }
    case 4: addAttribute(entity, using: &random)
    case 5: if let index = attributes.randomElement(using: &random) { removeAttribute(entity, index) }
    case 6, 7:
      if let index = attributes.randomElement(using: &random) { retype(entity, index, using: &random) }
    case 8: if let index = relationships.randomElement(using: &random) { renameRelationship(entity, index) }
    case 9: if let index = relationships.randomElement(using: &random) { widen(entity, index) }
    default: addParent(entity)
    }
  }

  /// An entity and all that inherit from it.
  private func family(_ name: String) -> Set<String> {
    var names: Set<String> = [name]
    while true {
      let more = declarations.filter { $0.parent.map(names.contains) == true && !names.contains($0.name) }
      if more.isEmpty { return names }
      names.formUnion(more.map(\.name))
    }
  }

  private mutating func forEachObject(of entity: String, _ body: (inout PlainGraph.Object) -> Void) {
    let family = family(entity)
    for reference in graph.objects.keys where family.contains(reference.entity) {
      if var object = graph.objects[reference] {
        body(&object)
        graph.objects[reference] = object
      }
    }
  }

  private mutating func renameEntity(_ index: Int) {
    let old = declarations[index].name
    let new = "E\(next)"
    history.append("entity \(old) becomes \(new)")
    declarations[index].name = new
    declarations[index].renamingIdentifier = declarations[index].renamingIdentifier ?? old
    for entity in declarations.indices {
      if declarations[entity].parent == old { declarations[entity].parent = new }
      for property in declarations[entity].properties.indices {
        guard case .relationship(var relationship) = declarations[entity].properties[property],
          relationship.destination == old
        else { continue }
        relationship.destination = new
        declarations[entity].properties[property] = .relationship(relationship)
      }
    }
    func renamed(_ reference: PlainGraph.Reference) -> PlainGraph.Reference {
      reference.entity == old ? .init(entity: new, key: reference.key) : reference
    }
    graph.objects = Dictionary(
      uniqueKeysWithValues: graph.objects.map { reference, object in
        var object = object
        object.related = object.related.mapValues { $0.map(renamed) }
        return (renamed(reference), object)
      })
  }

  private mutating func removeEntity(_ index: Int) {
    let name = declarations[index].name
    if declarations.count < 2 || declarations.contains(where: { $0.parent == name }) { return }
    history.append("entity \(name) goes")
    for entity in declarations.indices {
      while let property = declarations[entity].properties.firstIndex(where: {
        guard let relationship = $0.asRelationship else { return false }
        return entity == index || relationship.destination == name
      }) {
        removeRelationship(entity, property)
      }
    }
    declarations.remove(at: index)
    graph.objects = graph.objects.filter { $0.key.entity != name }
    for reference in graph.objects.keys {
      for relationship in graph.objects[reference]?.related.keys.map({ $0 }) ?? [] {
        graph.objects[reference]?.related[relationship]?.removeAll { $0.entity == name }
      }
    }
  }

  private mutating func removeRelationship(_ entity: Int, _ index: Int) {
    guard let relationship = declarations[entity].properties[index].asRelationship else { return }
    let owner = declarations[entity].name
    declarations[entity].properties.remove(at: index)
    forEachObject(of: owner) { $0.related[relationship.name] = nil }
    guard let inverse = relationship.inverse else { return }
    var next: String? = relationship.destination
    while let name = next, let other = declarations.firstIndex(where: { $0.name == name }) {
      if let place = declarations[other].properties.firstIndex(where: { $0.name == inverse }) {
        declarations[other].properties.remove(at: place)
        forEachObject(of: name) { $0.related[inverse] = nil }
        return
      }
      next = declarations[other].parent
    }
  }

  // MARK: - Attributes

  private mutating func renameAttribute(_ entity: Int, _ index: Int) {
    guard case .attribute(var attribute) = declarations[entity].properties[index] else { return }
    let old = attribute.name
    history.append("\(declarations[entity].name).\(old) becomes n\(next)")
    attribute.name = "n\(next)"
    attribute.renamingIdentifier = attribute.renamingIdentifier ?? old
    declarations[entity].properties[index] = .attribute(attribute)
    forEachObject(of: declarations[entity].name) {
      $0.values[attribute.name] = $0.values.removeValue(forKey: old)
    }
  }

  private mutating func addAttribute(_ entity: Int, using random: inout SeededGenerator) {
    let type = ManagedObjectModel.storedTypes.randomElement(using: &random) ?? .string
    let value = ManagedObjectModel.value(of: type, using: &random)
    let attribute = AttributeDescription(
      "new\(next)", type, isOptional: value.isNull, isIndexed: Bool.random(using: &random),
      defaultValue: value)
    history.append("\(declarations[entity].name).\(attribute.name) comes")
    declarations[entity].properties.append(.attribute(attribute))
    forEachObject(of: declarations[entity].name) { $0.values[attribute.name] = value }
  }

  private mutating func removeAttribute(_ entity: Int, _ index: Int) {
    let name = declarations[entity].properties[index].name
    history.append("\(declarations[entity].name).\(name) goes")
    declarations[entity].properties.remove(at: index)
    forEachObject(of: declarations[entity].name) { $0.values[name] = nil }
  }

  private mutating func retype(_ entity: Int, _ index: Int, using random: inout SeededGenerator) {
    guard case .attribute(var attribute) = declarations[entity].properties[index],
      // Twice would have to be lossless from the first type.
      attribute.userInfo["retyped"] == nil,
      let change = Self.conversions.filter({ $0.from == attribute.type }).randomElement(using: &random)
    else { return }
    history.append("\(declarations[entity].name).\(attribute.name): \(change.from) becomes \(change.to)")
    attribute.type = change.to
    attribute.defaultValue = .null
    attribute.isOptional = true
    attribute.userInfo["retyped"] = "yes"
    declarations[entity].properties[index] = .attribute(attribute)
    forEachObject(of: declarations[entity].name) { object in
      object.values[attribute.name] = object.values[attribute.name].map {
        $0.isNull ? .null : change.convert($0)
      }
    }
  }

  static var conversions:
    [(from: AttributeType, to: AttributeType, convert: (AttributeValue) -> AttributeValue)]
  {
    func number(_ value: AttributeValue) -> Int64 {
      switch value {
      case .integer(let number): number
      case .boolean(let truth): truth ? 1 : 0
      default: 0
      }
    }
    var list: [(AttributeType, AttributeType, (AttributeValue) -> AttributeValue)] = []
    for (from, to) in [
      (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64), (.boolean, .integer16),
      (.boolean, .integer64),
    ] as [(AttributeType, AttributeType)] {
      list.append((from, to, { .integer(number($0)) }))
    }
    for from in [.integer16, .integer32, .boolean] as [AttributeType] {
      list.append((from, .double, { .double(Double(number($0))) }))
    }
    for from in [.integer16, .integer32, .integer64, .boolean] as [AttributeType] {
      list.append((from, .decimal, { .decimal(Decimal(number($0))) }))
    }
    list.append((.integer64, .string, { .string("\(number($0))") }))
    list.append((.float, .double, { if case .float(let value) = $0 { .double(Double(value)) } else { $0 } }))
    list.append((.double, .date, { if case .double(let value) = $0 { .date(value) } else { $0 } }))
    list.append((.date, .double, { if case .date(let value) = $0 { .double(value) } else { $0 } }))
    list.append((.uuid, .string, { if case .uuid(let value) = $0 { .string(value.uuidString) } else { $0 } }))
    list.append((.uri, .string, { if case .uri(let value) = $0 { .string(value) } else { $0 } }))
    list.append((.binary, .transformable, { $0 }))
    return list.map { (from: $0.0, to: $0.1, convert: $0.2) }
  }

  // MARK: - Relationships

  private mutating func renameRelationship(_ entity: Int, _ index: Int) {
    guard case .relationship(var relationship) = declarations[entity].properties[index] else { return }
    let (owner, old, new) = (declarations[entity].name, relationship.name, "r\(next)n")
    let isOwnInverse = relationship.inverse == old && family(relationship.destination).contains(owner)
    history.append("\(owner).\(old) becomes \(new)")
    relationship.name = new
    relationship.renamingIdentifier = relationship.renamingIdentifier ?? old
    if isOwnInverse { relationship.inverse = new }
    declarations[entity].properties[index] = .relationship(relationship)
    if !isOwnInverse, let inverse = relationship.inverse {
      for other in declarations.indices {
        for place in declarations[other].properties.indices {
          guard case .relationship(var back) = declarations[other].properties[place], back.name == inverse,
            back.inverse == old, family(back.destination).contains(owner)
          else { continue }
          back.inverse = new
          declarations[other].properties[place] = .relationship(back)
        }
      }
    }
    forEachObject(of: owner) { $0.related[new] = $0.related.removeValue(forKey: old) }
  }

  /// Lets a relationship to one object lead to many.
  private mutating func widen(_ entity: Int, _ index: Int) {
    guard case .relationship(var relationship) = declarations[entity].properties[index],
      !relationship.isToMany
    else { return }
    history.append("\(declarations[entity].name).\(relationship.name) leads to many")
    relationship.isToMany = true
    relationship.maximumCount = 0
    declarations[entity].properties[index] = .relationship(relationship)
  }

  private mutating func addParent(_ entity: Int) {
    guard declarations[entity].parent == nil else { return }
    history.append("\(declarations[entity].name) inherits from Base\(next)")
    declarations[entity].parent = "Base\(next)"
    declarations.append(EntityDeclaration("Base\(next)", isAbstract: true))
  }
}
