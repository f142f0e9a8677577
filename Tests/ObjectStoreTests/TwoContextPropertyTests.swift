import ObjectStore
import Testing

/// Random edits in two contexts of one store, merged and saved in any order: both end with what the store has, and nothing leads nowhere.
@Suite struct TwoContextPropertyTests {
  private struct Run {
    var random: SeededGenerator
    let fixture: TemporaryStore
    let model: ManagedObjectModel
    /// The second one may be of another program.
    let contexts: [ManagedObjectContext]
    private let otherStore: PersistentStore
    /// The values of new objects that are not saved yet, by the context that made them.
    private var unsaved: [[ObjectIdentifier: (object: ManagedObject, values: [String: AttributeValue])]] = [
      [:], [:],
    ]
    /// What was done, to be shown when something is wrong.
    var history: [String] = []

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      model = try ManagedObjectModel.random(using: &random)
      fixture = try TemporaryStore(model)
      otherStore =
        Int.random(in: 0..<3, using: &random) == 0
        ? try PersistentStore(model: model, path: fixture.path) : fixture.store
      contexts = [try fixture.store.newContext(), try otherStore.newContext()]
      let policies: [MergePolicy] = [.error, .storeWins, .objectWins, .rollback]
      let areUndoing = Int.random(in: 0..<3, using: &random) == 0
      for context in contexts {
        context.undoIsEnabled = areUndoing
        context.mergePolicy = policies.randomElement(using: &random) ?? .error
        context.mergesChangesAutomatically = Int.random(in: 0..<4, using: &random) > 0
      }
    }

    /// An object of a context, of an entity if one is given.
    private mutating func pick(
      _ context: ManagedObjectContext, _ entity: EntityDescription? = nil
    ) throws -> ManagedObject? {
      guard let entity = entity ?? model.entities.randomElement(using: &random) else { return nil }
      let objects = try context.fetch(FetchRequest<ManagedObject>(entity: entity.name))
      return objects.sorted { $0.objectID.description < $1.objectID.description }.randomElement(
        using: &random)
    }

    mutating func step() throws {
      let number = Int.random(in: 0..<2, using: &random)
      let context = contexts[number]
      let choice = Int.random(in: 0..<(context.undoIsEnabled ? 22 : 16), using: &random)
      // Each change is a step.
      context.closeUndoStep()
      func note(_ text: String) { history.append("\(number) \(text)") }
      switch choice {
      case 0..<3:
        guard let entity = model.entities.randomElement(using: &random) else { return }
        let object = try context.insert(entity)
        unsaved[number][ObjectIdentifier(object)] = (object, [:])
        note("inserts \(name(object))")
      case 3..<5:
        guard let object = try pick(context),
          let attribute = object.entity.properties.compactMap(\.asAttribute).randomElement(using: &random)
        else { return }
        let value = ManagedObjectModel.value(of: attribute.type, using: &random)
        object[attribute.name] = value
        unsaved[number][ObjectIdentifier(object)]?.values[attribute.name] = value
        note("sets \(name(object)).\(attribute.name)")
      case 5..<11: note(try relate(context))
      case 11:
        guard let object = try pick(context) else { return }
        note("deletes \(name(object))")
        context.delete(object)
        unsaved[number] = unsaved[number].filter { !$0.value.object.isDeleted && !$0.value.object.isGone }
      case 12:
        note("merges")
        context.mergePendingChanges()
      case 16..<20:
        let isRedo = Int.random(in: 0..<4, using: &random) == 0
        note(isRedo ? "does again" : "takes back")
        if isRedo { context.redo() } else { context.undo() }
        unsaved[number] = [:]
      case 20..<22: try deleteInBoth()
      default: try save(number)
      }
    }

    /// Deletes an object in both contexts, and takes that back after one or both have saved.
    private mutating func deleteInBoth() throws {
      guard let object = try pick(contexts[0]) else { return }
      history.append("both delete \(name(object)) and take that back")
      let identifier = object.objectID
      for context in contexts { context.object(for: identifier).map { context.delete($0) } }
      for number in contexts.indices where Int.random(in: 0..<4, using: &random) > 0 { try save(number) }
      for number in contexts.indices {
        contexts[number].undo()
        unsaved[number] = [:]
      }
    }

    private func name(_ object: ManagedObject) -> String {
      let identifier = object.objectID
      return "\(identifier.entity.name)\(identifier.description.split(separator: "/").last ?? "")"
    }

    private mutating func relate(_ context: ManagedObjectContext) throws -> String {
      guard let object = try pick(context),
        let relationship = object.entity.properties.compactMap(\.asRelationship).randomElement(
          using: &random),
        let target = try pick(context, model.entities[relationship.destinationIndex]),
        let index = object.entity.index(of: relationship.name)
      else { return "nothing" }
      let end = "\(name(object)).\(relationship.name)"
      guard relationship.isToMany else {
        let target = Int.random(in: 0..<4, using: &random) == 0 ? nil : target
        object.setTarget(target, at: index)
        return "\(end) = \(target.map(name) ?? "nil")"
      }
      let members = object.members(relationship.name)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        guard let member = members.randomElement(using: &random) else { return "nothing" }
        object.removeMember(member, at: index)
        return "\(end) - \(name(member))"
      case 1 where relationship.isOrdered:
        object.setMembers(members.reversed(), relationship.name)
        return "\(end) reversed"
      case 2 where relationship.isOrdered:
        let position = Int.random(in: 0...members.count, using: &random)
        object.insertMember(target, at: index, position: position)
        return "\(end) + \(name(target)) at \(position)"
      default:
        object.insertMember(target, at: index, position: nil)
        return "\(end) + \(name(target))"
      }
    }

    /// Saves; what cannot be saved because of what the other has done is given up.
    private mutating func save(_ number: Int) throws {
      let context = contexts[number]
      history.append("\(number) saves")
      do {
        try context.save()
        try checkNewObjects(number)
      } catch let error as SaveError {
        history.append("\(error)")
        let areConflicts = error.problems.allSatisfy { problem in
          switch problem {
          case .conflict, .danglingReference: true
          default: false
          }
        }
        #expect(areConflicts, "\(error)\n\(story)")
        context.rollback()
        context.mergePendingChanges()
      }
      unsaved[number] = [:]
    }

    /// What was set in a new object is in the store once that object is saved, whatever others have done to those that it leads to.
    private func checkNewObjects(_ number: Int) throws {
      let fresh = try fixture.store.newContext()
      for (object, values) in unsaved[number].values where !object.isGone {
        let saved = try #require(try fresh.existingObject(for: object.objectID), "\(name(object))\n\(story)")
        for (name, value) in values {
          #expect(saved[name] == value, "\(self.name(object)).\(name)\n\(story)")
        }
      }
    }

    mutating func finish() throws {
      for number in contexts.indices { try save(number) }
      for context in contexts { context.mergePendingChanges() }
      let fresh = try fixture.store.newContext()
      let expected = try fresh.picture()
      for (number, context) in contexts.enumerated() {
        #expect(!context.hasChanges)
        let found = try context.picture()
        for (object, lines) in expected where found[object] != lines {
          Issue.record("\(number): \(object)\n\(found[object] ?? "is missing")\nnot\n\(lines)\n\(story)")
        }
        #expect(found.count == expected.count)
      }
      let file = try StoreFile(path: fixture.path, model: model)
      try file.verify { finding in
        #expect(finding.severity == .hint, "\(finding)\n\(story)")
      }
      try fixture.check()
    }

    /// The relationships and policies, and what was done.
    private var story: String {
      (model.relationshipLines + contexts.map { "\($0.mergePolicy) \($0.mergesChangesAutomatically)" }
        + history)
        .joined(separator: "\n")
    }
  }

  @Test(arguments: 0..<900) func `two contexts agree with the store when both have saved and merged`(
    seed: Int
  )
    throws
  {
    var run = try Run(seed: UInt64(seed) &+ 20_000)
    for _ in 0..<(8 + seed % 73) { try run.step() }
    try run.finish()
  }
}
