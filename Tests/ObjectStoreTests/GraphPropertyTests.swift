import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Random models, graphs and edits, against a plain reference implementation.
@Suite struct GraphPropertyTests {
  struct Run {
    var random: SeededGenerator
    let fixture: TemporaryStore
    var graph: ReferenceGraph
    var saved: ReferenceGraph
    var context: ManagedObjectContext
    var objects: [Int: ManagedObject] = [:]
    var identifiers: [Int: ObjectID] = [:]
    var next = 0
    /// What was done, to be shown when something is wrong.
    var history: [String] = []
    /// With undo: the states before each step, and those after each step that was undone.
    let undoes: Bool
    var past: [ReferenceGraph] = []
    var future: [ReferenceGraph] = []
    /// With a child: edits are made in it, and this is what it has saved to its parent.
    let usesChild: Bool
    var passedOn: ReferenceGraph

    init(seed: UInt64, undoes: Bool = false, usesChild: Bool = false) throws {
      random = SeededGenerator(seed: seed)
      let model = try ManagedObjectModel.random(using: &random)
      fixture = try TemporaryStore(model)
      graph = ReferenceGraph(model: model)
      saved = graph
      passedOn = graph
      self.undoes = undoes
      self.usesChild = usesChild
      context = try fixture.store.newContext()
      try renewContext()
    }

    private mutating func renewContext() throws {
      context = try fixture.store.newContext()
      if usesChild {
        // What the parent has to undo is no business of the child.
        context.undoIsEnabled = undoes
        context = context.makeChild()
      }
      context.undoIsEnabled = undoes
      past = []
      future = []
    }

    var model: ManagedObjectModel { graph.model }

    mutating func pick(_ entity: EntityDescription? = nil) -> Int? {
      let candidates = graph.nodes.filter {
        entity == nil || $0.value.entity.isKind(of: entity ?? $0.value.entity)
      }
      return candidates.keys.sorted().randomElement(using: &random)
    }

    /// The object of a node, fetched again if nobody holds it.
    func object(_ node: Int) throws -> ManagedObject {
      if let object = objects[node] { return object }
      let identifier = try #require(identifiers[node])
      return try #require(context.object(for: identifier))
    }

    mutating func step() throws {
      let choice = Int.random(in: 0..<20, using: &random)
      if undoes {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<2: return undo()
        case 2: return redo()
        default: break
        }
      }
      switch choice {
      case 17: try save()
      case 18: try rollback()
      case 19: try reopen()
      default: try undoes ? editInGroup(choice) : edit(choice)
      }
    }

    private mutating func edit(_ choice: Int) throws {
      switch choice {
      case 0..<4: try insert()
      case 4..<8: try setValue()
      case 8..<14: try relate()
      case 14: try unrelate()
      case 15: try delete()
      default: try replaceMembers()
      }
    }

    private mutating func editInGroup(_ choice: Int) throws {
      let (context, before, name) = (context, graph, "\(history.count)")
      try context.undoGroup(name) {
        try edit(choice)
        if Int.random(in: 0..<4, using: &random) == 0 {
          try edit(Int.random(in: 0..<17, using: &random))
        }
      }
      // An edit that changes nothing is no step.
      if context.undoName == name {
        past.append(before)
        future = []
      }
    }

    private mutating func undo() {
      #expect(context.canUndo == !past.isEmpty)
      guard let before = past.popLast() else { return }
      history.append("undo \(context.undoName ?? "")")
      #expect(context.undo().isEmpty)
      future.append(graph)
      graph = before
    }

    private mutating func redo() {
      #expect(context.canRedo == !future.isEmpty)
      guard let after = future.popLast() else { return }
      history.append("redo \(context.redoName ?? "")")
      #expect(context.redo().isEmpty)
      past.append(graph)
      graph = after
    }

    private mutating func insert() throws {
      let entity = model.entities[Int.random(in: 0..<model.entities.count, using: &random)]
      objects[next] = try context.insert(entity)
      graph.insert(next, entity)
      history.append("insert \(next) \(entity.name)")
      next += 1
    }

    private mutating func setValue() throws {
      guard let node = pick(), let entity = graph.nodes[node]?.entity,
        let attribute = entity.properties.compactMap(\.asAttribute).randomElement(using: &random)
      else { return }
      let value = ManagedObjectModel.value(of: attribute.type, using: &random)
      try object(node)[attribute.name] = value
      graph.nodes[node]?.values[attribute.name] = value
      history.append("set \(node).\(attribute.name)")
    }

    private mutating func pickRelationship() -> (Int, RelationshipDescription)? {
      guard let node = pick(),
        let relationship = graph.nodes[node]?.entity.properties.compactMap(\.asRelationship)
          .randomElement(using: &random)
      else { return nil }
      return (node, relationship)
    }

    private mutating func relate() throws {
      guard let (node, relationship) = pickRelationship(),
        let target = pick(model.entities[relationship.destinationIndex])
      else { return }
      history.append("relate \(node).\(relationship.name) \(target)")
      let object = try object(node)
      let index = try #require(object.entity.index(of: relationship.name))
      if relationship.isToMany {
        let position =
          relationship.isOrdered && Bool.random(using: &random) ? Int.random(in: 0..<3, using: &random) : nil
        object.insertMember(try self.object(target), at: index, position: position)
        graph.link(node, relationship.name, target, at: position)
      } else {
        object.setTarget(try self.object(target), at: index)
        graph.link(node, relationship.name, target)
      }
    }

    private mutating func unrelate() throws {
      guard let (node, relationship) = pickRelationship(),
        let target = graph.nodes[node]?.related[relationship.name]?.randomElement(using: &random)
      else { return }
      history.append("unrelate \(node).\(relationship.name) \(target)")
      let object = try object(node)
      let index = try #require(object.entity.index(of: relationship.name))
      if relationship.isToMany {
        object.removeMember(try self.object(target), at: index)
      } else {
        object.setTarget(nil, at: index)
      }
      graph.unlink(node, relationship.name, target)
    }

    private mutating func replaceMembers() throws {
      guard let (node, relationship) = pickRelationship(), relationship.isToMany else { return }
      var targets: [Int] = []
      for _ in 0..<3 {
        if let target = pick(model.entities[relationship.destinationIndex]), !targets.contains(target) {
          targets.append(target)
        }
      }
      history.append("replace \(node).\(relationship.name) \(targets)")
      let object = try object(node)
      object.setMembers(try targets.map { try self.object($0) }, relationship.name)
      for old in graph.nodes[node]?.related[relationship.name] ?? [] where !targets.contains(old) {
        graph.unlink(node, relationship.name, old)
      }
      for (position, target) in targets.enumerated() {
        graph.link(node, relationship.name, target, at: relationship.isOrdered ? position : nil)
      }
    }

    private mutating func delete() throws {
      guard let node = pick() else { return }
      history.append("delete \(node)")
      context.delete(try object(node))
      graph.delete(node)
    }

    private mutating func save() throws {
      history.append("save")
      try context.save()
      passedOn = graph
      if let parent = context.parent {
        if Bool.random(using: &random) { return history.append("to the parent") }
        try parent.save()
      }
      saved = graph
      for (node, object) in objects { identifiers[node] = object.objectID }
      if Bool.random(using: &random), !undoes { objects = [:] }
    }

    private mutating func rollback() throws {
      history.append("rollback")
      context.rollback()
      graph = usesChild ? passedOn : saved
      if let parent = context.parent, Bool.random(using: &random) {
        history.append("of the parent")
        parent.rollback()
        context.mergePendingChanges()
        // What the child had deleted, and its parent has again, is another object here.
        objects = objects.filter { !$0.value.isGone }
        graph = saved
        passedOn = saved
      }
      past = []
      future = []
      objects = objects.filter { graph.nodes[$0.key] != nil }
    }

    mutating func reopen() throws {
      try save()
      if let parent = context.parent {
        try parent.save()
        saved = graph
        for (node, object) in objects { identifiers[node] = object.objectID }
      }
      history.append("reopen")
      objects = [:]
      try renewContext()
    }

    /// Looks at a few things only, and seldom, so that most of what the next steps change is not in memory.
    mutating func glance() throws {
      guard Int.random(in: 0..<4, using: &random) == 0, let node = pick() else { return }
      try compare(node)
    }

    /// Compares one object with the reference.
    func compare(_ node: Int) throws {
      if let expected = graph.nodes[node] { try compare([node: expected]) }
    }

    /// Compares everything that is in memory with the reference.
    func compare() throws {
      try compare(graph.nodes)
      try compareCounts()
    }

    private func compare(_ nodes: [Int: ReferenceGraph.Node]) throws {
      for (node, expected) in nodes {
        let object = try object(node)
        for (name, value) in expected.values where object[name] != value {
          throw Difference("\(node).\(name) is \(object[name]), not \(value)", self)
        }
        for relationship in expected.entity.properties.compactMap(\.asRelationship) {
          let wanted = try (expected.related[relationship.name] ?? []).map { try self.object($0) }
          let found =
            relationship.isToMany
            ? object.members(relationship.name) : object.target(relationship.name).map { [$0] } ?? []
          let isSame =
            relationship.isOrdered
            ? found == wanted : found.count == wanted.count && Set(found) == Set(wanted)
          if !isSame {
            let wanted = wanted.map(\.objectID)
            throw Difference("\(node).\(relationship.name) has \(found.map(\.objectID)), not \(wanted)", self)
          }
        }
      }
    }

    private func compareCounts() throws {
      for entity in model.entities where entity.parent == nil {
        let request = FetchRequest<ManagedObject>(entity: entity.name)
        let expected = graph.nodes.values.count { $0.entity.isKind(of: entity) }
        let counts = (try context.count(request), try context.fetch(request).count)
        if counts != (expected, expected) {
          throw Difference("\(counts) \(entity.name), not \(expected)", self)
        }
      }
    }

    /// Looks for keys that lead nowhere.
    func checkKeys() throws {
      let schema = fixture.store.schema
      for (entity, table) in zip(model.entities, schema.tables) {
        for (property, storage) in zip(entity.properties, table.storage) {
          guard let relationship = property.asRelationship else { continue }
          let target = schema.tables[relationship.destinationIndex].name
          switch storage {
          case .toOne(let columns):
            #expect(
              try context.connection.first(
                """
                SELECT count(*) FROM "\(table.name)" WHERE "\(columns.key)" IS NOT NULL \
                AND "\(columns.key)" NOT IN (SELECT Z_PK FROM "\(target)")
                """) == .integer(0))
          case .join(let side):
            #expect(
              try context.connection.first(
                """
                SELECT count(*) FROM "\(side.table.name)" WHERE "\(side.memberColumn)" \
                NOT IN (SELECT Z_PK FROM "\(target)")
                """) == .integer(0))
          case .memory, .attribute, .inverse: break
          }
        }
      }
    }

    mutating func finish() throws {
      try reopen()
      try compare()
      try checkKeys()
      try fixture.check()
    }
  }

  /// What is wrong, with the model and everything that led to it.
  private struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ message: String, _ run: Run) {
      let relationships = run.model.entities.flatMap { entity in
        entity.properties.compactMap(\.asRelationship).map { relationship in
          "\(entity.name).\(relationship.name): \(relationship.destination)\(relationship.isToMany ? "*" : "") "
            + "inverse \(relationship.inverse ?? "-") \(relationship.isOrdered ? "ordered " : "")\(relationship.deleteRule)"
        }
      }
      description = ([message] + relationships + run.history).joined(separator: "\n")
    }
  }

  @Test(arguments: 0..<200) func `a graph is what a plain implementation says it is`(seed: Int) throws {
    var run = try Run(seed: UInt64(seed))
    for _ in 0..<80 {
      try run.step()
      try run.compare()
    }
    try run.finish()
  }

  @Test(arguments: 1_000..<1_150, [false, true])
  func `changes of what is not in memory are changes all the same`(seed: Int, usesChild: Bool) throws {
    var run = try Run(seed: UInt64(seed), usesChild: usesChild)
    for _ in 0..<80 {
      try run.step()
      try run.glance()
    }
    try run.finish()
  }

  @Test(arguments: 0..<80) func `undo and redo lead to the states that were before and after`(seed: Int)
    throws
  {
    try check(Run(seed: UInt64(seed), undoes: true))
  }

  @Test(arguments: 0..<80) func `a child and its parent have the graph between them`(seed: Int) throws {
    try check(Run(seed: UInt64(seed), usesChild: true))
  }

  @Test(arguments: 0..<80) func `undo and redo go across the saves of a child`(seed: Int) throws {
    try check(Run(seed: UInt64(seed), undoes: true, usesChild: true))
  }

  private func check(_ start: Run) throws {
    var run = start
    for _ in 0..<100 {
      try run.step()
      try run.compare()
    }
    try run.finish()
  }
}
