import ObjectStore
import Testing

/// Random edits, deletions and undo in two contexts and a child of one of them, with all delete rules and ends that must lead somewhere. Whatever a
/// policy settles, both ends of each relationship agree after a save.
@Suite struct ContextFamilyPropertyTests {
  @Test(arguments: 0..<150, [false, true])
  func `both ends of relationships agree after each save`(seed: UInt64, withChild: Bool) throws {
    var run = try ContextFamilyRun(seed: seed, withChild: withChild)
    for _ in 0..<(10 + seed % 40) { try run.step() }
    try run.finish()
  }
}

private struct ContextFamilyRun {
  var random: SeededGenerator
  let fixture: TemporaryStore
  let model: ManagedObjectModel
  /// Two that work on the store, and perhaps a child of the first.
  let contexts: [ManagedObjectContext]
  /// What was done, to be shown when something is wrong.
  var history: [String] = []

  init(seed: UInt64, withChild: Bool) throws {
    random = SeededGenerator(seed: seed)
    model = try Self.model(&random)
    fixture = try TemporaryStore(model)
    let roots = [try fixture.store.newContext(), try fixture.store.newContext()]
    contexts = withChild ? roots + [roots[0].makeChild()] : roots
    let policies: [MergePolicy] = [.storeWins, .objectWins, .rollback]
    let areUndoing = Bool.random(using: &random)
    for context in contexts {
      context.mergePolicy = policies.randomElement(using: &random) ?? .storeWins
      context.mergesChangesAutomatically = Int.random(in: 0..<3, using: &random) == 0
      context.undoIsEnabled = areUndoing
    }
  }

  // MARK: The model

  private static let names = ["Alpha", "Beta", "Gamma"]

  private static func model(_ random: inout SeededGenerator) throws -> ManagedObjectModel {
    var entities = names.map { EntityDeclaration($0, attributes: [.init("size\($0)", .integer32)]) }
    if Bool.random(using: &random) { entities[1].parent = names[0] }
    for number in 0..<Int.random(in: 1...4, using: &random) {
      let source = Int.random(in: 0..<3, using: &random)
      let target = Int.random(in: 0..<3, using: &random)
      let (name, back) = ("r\(number)", "r\(number)b")
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        var one = relationship(name, to: target, inverse: nil, &random)
        if one.deleteRule == .deny { one.deleteRule = .nullify }
        entities[source].properties.append(.relationship(one))
      case 1:
        var own = relationship(name, to: source, inverse: name, &random)
        own.isOrdered = false
        entities[source].properties.append(.relationship(own))
      default:
        entities[source].properties.append(
          .relationship(relationship(name, to: target, inverse: back, &random)))
        entities[target].properties.append(
          .relationship(relationship(back, to: source, inverse: name, &random)))
      }
    }
    return try ManagedObjectModel(entities: entities)
  }

  private static func relationship(
    _ name: String, to target: Int, inverse: String?, _ random: inout SeededGenerator
  ) -> RelationshipDescription {
    let isToMany = Bool.random(using: &random)
    let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .cascade, .deny]
    return RelationshipDescription(
      name, to: names[target], inverse: inverse, isToMany: isToMany,
      isOrdered: isToMany && Int.random(in: 0..<3, using: &random) == 0,
      isOptional: Int.random(in: 0..<8, using: &random) > 0,
      deleteRule: rules.randomElement(using: &random) ?? .nullify)
  }

  // MARK: Edits

  mutating func step() throws {
    let number = Int.random(in: contexts.indices, using: &random)
    let context = contexts[number]
    func note(_ text: String) { history.append("\(number) \(text)") }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4:
      guard let entity = model.entities.randomElement(using: &random) else { return }
      note("inserts \(name(try context.insert(entity)))")
    case 4..<6:
      guard let object = try pick(context) else { return }
      let value = Int64.random(in: 0..<9, using: &random)
      object["size" + object.entity.name] = .integer(value)
      note("sets the size of \(name(object))")
    case 6..<11: note(try relate(context))
    case 11..<14:
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let object = try pick(context) else { return }
        note("deletes \(name(object))")
        context.delete(object)
      }
    case 14:
      note("merges")
      context.mergePendingChanges()
    case 15:
      note("takes back")
      context.undo()
    case 16:
      note("does again")
      context.redo()
    default: try save(number)
    }
  }

  private func name(_ object: ManagedObject) -> String {
    let identifier = object.objectID
    return "\(identifier.entity.name)\(identifier.description.split(separator: "/").last ?? "")"
  }

  private mutating func pick(
    _ context: ManagedObjectContext, _ entity: EntityDescription? = nil
  ) throws -> ManagedObject? {
    guard let entity = entity ?? model.entities.randomElement(using: &random) else { return nil }
    return try context.fetch(FetchRequest<ManagedObject>(entity: entity.name))
      .sorted { $0.objectID.description < $1.objectID.description }.randomElement(using: &random)
  }

  private mutating func relate(_ context: ManagedObjectContext) throws -> String {
    guard let object = try pick(context),
      let relationship = object.entity.properties.compactMap(\.asRelationship).randomElement(using: &random),
      let target = try pick(context, model.entities[relationship.destinationIndex]),
      let index = object.entity.index(of: relationship.name)
    else { return "nothing" }
    let end = "\(name(object)).\(relationship.name)"
    if !relationship.isToMany {
      let target = Int.random(in: 0..<4, using: &random) == 0 ? nil : target
      object.setTarget(target, at: index)
      return "\(end) = \(target.map(name) ?? "nil")"
    }
    let members = object.members(relationship.name)
    if Int.random(in: 0..<4, using: &random) == 0, let member = members.randomElement(using: &random) {
      object.removeMember(member, at: index)
      return "\(end) - \(name(member))"
    }
    object.insertMember(target, at: index, position: nil)
    return "\(end) + \(name(target))"
  }

  // MARK: Saves

  /// Saves; what is refused because of a rule or an end that must lead somewhere is given up.
  private mutating func save(_ number: Int) throws {
    let context = contexts[number]
    history.append("\(number) saves")
    do {
      try context.save()
      #expect(!context.hasChanges, "\(story)")
      let seesAll = [context, context.parent ?? context].allSatisfy(\.mergesChangesAutomatically)
      if seesAll, context.parent?.hasChanges != true { try checkEnds(in: context) }
      try checkEnds(in: fixture.store.newContext())
      try checkFile()
    } catch let error as SaveError {
      history.append("  \(error)")
      for problem in error.problems {
        switch problem {
        case .conflict, .notUnique, .misuse: Issue.record("\(error)\n\(story)")
        case .danglingReference(let identifier, let property, _):
          let entity = model.entity(named: identifier.entity.name)
          let relationship = entity.flatMap { entity in
            entity.index(of: property).flatMap(entity.relationship(at:))
          }
          if relationship?.isOptional != false { Issue.record("\(error)\n\(story)") }
        default: break
        }
      }
      context.rollback()
      #expect(!context.hasChanges, "\(story)")
      context.mergePendingChanges()
      if context.parent == nil { try checkEnds(in: context) }
    }
  }

  mutating func finish() throws {
    for number in contexts.indices.reversed() { try save(number) }
    for context in contexts { context.mergePendingChanges() }
    let expected = try fixture.store.newContext().picture()
    for (number, context) in contexts.enumerated() {
      try checkEnds(in: context)
      let found = try context.picture()
      #expect(found.count == expected.count, "\(story)")
      for (object, lines) in expected where found[object] != lines {
        Issue.record("\(number): \(object)\n\(found[object] ?? "is missing")\nnot\n\(lines)\n\(story)")
      }
    }
    try fixture.check()
  }

  // MARK: Checks

  private func checkEnds(in context: ManagedObjectContext) throws {
    for entity in model.entities where entity.parent == nil {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name)) {
        for relationship in object.entity.properties.compactMap(\.asRelationship) {
          try checkEnd(object, relationship)
        }
      }
    }
  }

  private func checkEnd(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
    let end = "\(name(object)).\(relationship.name)"
    let others = object.others(relationship)
    #expect(Set(others.map(\.objectID)).count == others.count, "\(end)\n\(story)")
    for other in others {
      #expect(!other.isGone && !other.isDeleted, "\(end) leads to \(name(other))\n\(story)")
      guard let inverse = relationship.inverse.flatMap(other.entity.index(of:)),
        let back = other.entity.relationship(at: inverse)
      else { continue }
      #expect(
        other.others(back).contains { $0 === object }, "\(end) has \(name(other)), not back\n\(story)")
    }
  }

  private func checkFile() throws {
    try StoreFile(path: fixture.path, model: model).verify { finding in
      #expect(finding.severity == .hint, "\(finding)\n\(story)")
    }
  }

  /// The relationships and policies, and what was done.
  private var story: String {
    (model.relationshipLines + contexts.map { "\($0.mergePolicy) \($0.mergesChangesAutomatically)" } + history)
      .joined(separator: "\n")
  }
}
