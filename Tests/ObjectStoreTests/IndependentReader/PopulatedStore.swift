import Foundation
import ObjectStore

/// A store of a random model with random objects, made through the public interface by contexts that take turns, and what a plain implementation says it holds.
struct PopulatedStore {
  /// What derived attributes have as the time of the save.
  static let time = 325_252_800.25

  private let store: PersistentStore
  private let declarations: [EntityDeclaration]
  private let contexts: [ManagedObjectContext]
  /// The one whose turn it is, which has all objects.
  private var context: ManagedObjectContext
  private var random: SeededGenerator
  private var graph: ReferenceGraph
  private var objects: [Int: ManagedObject] = [:]

  /// - Parameter path: Where the store is made.
  init(seed: UInt64, path: String) throws {
    random = SeededGenerator(seed: seed)
    declarations = ClashingModel.declarations(using: &random)
    let model = try ManagedObjectModel(entities: declarations)
    var options = PersistentStore.Options()
    options.oneWayLayout = .ownerColumn
    store = try PersistentStore(model: model, path: path, options: options)
    graph = ReferenceGraph(model: model)
    contexts = [try store.newContext(), try store.newContext()]
    for context in contexts { context.now = { Date(timeIntervalSinceReferenceDate: Self.time) } }
    context = contexts[0]
    for _ in 0..<Int.random(in: 6...14, using: &random) { try insert() }
    try context.save()
    for _ in 0..<40 { try change() }
    try context.save()
  }

  /// What the store should hold.
  func expectation() -> StoreExpectation {
    StoreExpectation(
      declarations: declarations, graph: graph, keys: objects.mapValues(\.objectID.key), time: Self.time)
  }

  /// The table that has the objects of an entity.
  func tableName(of entity: String) -> String? {
    graph.model.entity(named: entity).map { store.schema.table(of: $0).name }
  }

  private mutating func change() throws {
    switch Int.random(in: 0..<14, using: &random) {
    case 0: try takeTurns()
    case 1: try insert()
    case 2: delete()
    case 3, 4: setValue()
    case 5: unrelate()
    default: relate()
    }
  }

  private mutating func takeTurns() throws {
    try context.save()
    context = contexts.randomElement(using: &random) ?? context
    context.mergePendingChanges()
    objects = objects.mapValues { context.object(for: $0.objectID) ?? $0 }
  }

  private mutating func insert() throws {
    let concrete = graph.model.entities.filter { !$0.isAbstract }
    guard let entity = concrete.randomElement(using: &random) else { return }
    let number = (objects.keys.max() ?? 0) + 1
    objects[number] = try context.insert(entity: entity.name)
    graph.insert(number, entity)
    for attribute in entity.properties.compactMap(\.asAttribute)
    where Int.random(in: 0..<4, using: &random) > 0 {
      set(attribute, of: number)
    }
  }

  private mutating func pick(_ entity: EntityDescription? = nil) -> Int? {
    graph.nodes.filter { node in entity.map { node.value.entity.isKind(of: $0) } ?? true }
      .keys.sorted().randomElement(using: &random)
  }

  private mutating func setValue() {
    guard let number = pick(),
      let attribute = graph.nodes[number]?.entity.properties.compactMap(\.asAttribute).randomElement(
        using: &random)
    else { return }
    set(attribute, of: number)
  }

  private mutating func set(_ attribute: AttributeDescription, of number: Int) {
    let value = AttributeValue.atTheEdge(
      of: attribute.type, isExternal: attribute.allowsExternalStorage, using: &random)
    guard attribute.derivation == nil, attribute.isOptional || !value.isNull else { return }
    objects[number]?[attribute.name] = value
    graph.nodes[number]?.values[attribute.name] = value
  }

  private mutating func delete() {
    guard let number = pick(), let object = objects[number] else { return }
    context.delete(object)
    graph.delete(number)
  }

  private mutating func pickRelationship() -> (Int, ManagedObject, RelationshipDescription)? {
    guard let number = pick(), let object = objects[number],
      let relationship = object.entity.properties.compactMap(\.asRelationship).randomElement(using: &random)
    else { return nil }
    return (number, object, relationship)
  }

  private mutating func relate() {
    guard let (number, object, relationship) = pickRelationship(),
      let index = object.entity.index(of: relationship.name),
      let target = pick(graph.model.entities[relationship.destinationIndex]), let other = objects[target],
      !isOwned(target, through: relationship)
    else { return }
    if relationship.isToMany {
      let position =
        relationship.isOrdered && Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
      object.insertMember(other, at: index, position: position)
      graph.link(number, relationship.name, target, at: position)
    } else {
      object.setTarget(other, at: index)
      graph.link(number, relationship.name, target)
    }
  }

  /// Whether an object has an owner already where it can have one only: a relationship to many without inverse.
  private func isOwned(_ target: Int, through relationship: RelationshipDescription) -> Bool {
    guard relationship.isToMany, relationship.inverse == nil else { return false }
    let owner = graph.model.entities[relationship.ownerIndex]
    return graph.nodes.values.contains {
      $0.entity.isKind(of: owner) && $0.related[relationship.name]?.contains(target) == true
    }
  }

  private mutating func unrelate() {
    guard let (number, object, relationship) = pickRelationship(),
      let index = object.entity.index(of: relationship.name),
      let target = graph.nodes[number]?.related[relationship.name]?.randomElement(using: &random),
      let other = objects[target]
    else { return }
    if relationship.isToMany {
      object.removeMember(other, at: index)
    } else {
      object.setTarget(nil, at: index)
    }
    graph.unlink(number, relationship.name, target)
  }
}
