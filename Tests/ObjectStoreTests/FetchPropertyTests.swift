import ObjectStore
import Testing

/// Random conditions on random graphs, against a plain filter.
@Suite struct FetchPropertyTests {
  private func check(_ run: inout GraphPropertyTests.Run) throws {
    for _ in 0..<6 {
      let entity = run.model.entities[Int.random(in: 0..<run.model.entities.count, using: &run.random)]
      let condition = RandomCondition.random(entity, in: run.model, depth: 3, using: &run.random)
      let expected = run.graph.nodes.filter {
        $0.value.entity.isKind(of: entity) && run.graph.holds(condition, for: $0.key)
      }
      let request = FetchRequest<ManagedObject>(entity: entity.name).where(condition.predicate)

      let found = try run.context.fetch(request)

      let wanted = try Set(expected.keys.map { try run.object($0).objectID })
      let history = run.history.joined(separator: "\n")
      #expect(Set(found.map(\.objectID)) == wanted, "\(entity.name): \(condition)\n\(history)")
      #expect(found.count == wanted.count)
      #expect(try run.context.count(request) == wanted.count)
      #expect(try Set(run.context.identifiers(request)) == wanted)
      try checkBounds(&run, request, entity)
      try checkChain(&run, request, condition, entity, wanted)
    }
  }

  /// A part of a sorted result is that part of the whole, whatever the bounds are.
  private func checkBounds(
    _ run: inout GraphPropertyTests.Run, _ request: FetchRequest<ManagedObject>, _ entity: EntityDescription
  ) throws {
    guard let attribute = entity.properties.compactMap(\.asAttribute).randomElement(using: &run.random) else {
      return
    }
    let sorted = request.sorted(by: PropertyName(attribute.name))
    let all = try run.context.fetch(sorted).map(\.objectID)
    let bounds = [Int.min, -1, 0, 1, 2, 3, all.count, .max]
    let limit = Bool.random(using: &run.random) ? bounds.randomElement(using: &run.random) : nil
    let offset = bounds.randomElement(using: &run.random) ?? 0
    var part = sorted
    part.limit = limit
    part.offset = offset

    let expected = Array(all.dropFirst(max(0, offset)).prefix(max(0, limit ?? .max)))
    let what = "\(entity.name) by \(attribute.name), \(offset), \(String(describing: limit))"
    #expect(try run.context.fetch(part).map(\.objectID) == expected, "\(what)")
    #expect(try run.context.identifiers(part) == expected, "\(what)")
    #expect(try run.context.count(part) == expected.count, "\(what)")
    let size = Int.random(in: 1...5, using: &run.random)
    #expect(try run.context.fetchBatched(part, size: size).map(\.objectID) == expected, "\(what)")
  }

  /// A chain of one condition after another says what the condition says, however long it is, and so does a list of values of which one fits.
  private func checkChain(
    _ run: inout GraphPropertyTests.Run, _ request: FetchRequest<ManagedObject>,
    _ condition: RandomCondition, _ entity: EntityDescription, _ wanted: Set<ObjectID>
  ) throws {
    guard Int.random(in: 0..<8, using: &run.random) == 0 else { return }
    let parts = Array(repeating: condition, count: Int.random(in: 2...40, using: &run.random))
    let chain: RandomCondition = Bool.random(using: &run.random) ? .all(parts) : .any(parts)
    let found = try run.context.fetch(FetchRequest(entity: entity.name).where(chain.predicate))
    #expect(Set(found.map(\.objectID)) == wanted, "\(parts.count) times \(condition)")
  }

  @Test(arguments: [1_000, 10_000]) func `a chain of thousands of conditions is one condition`(count: Int)
    throws
  {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for stars in [1, 2, 3] as [Int16] { try context.insert(Note.self) { $0.stars = stars } }
    var chain: FetchPredicate<Note> = \.stars == 2
    for number in 0..<count {
      let stars = Int16(number % 3) + 100
      chain = chain || \.stars == stars
    }
    for _ in 0..<2 {
      #expect(try context.fetch(Note.self, where: chain).map(\.stars) == [2])
      try context.save()
    }
  }

  @Test(arguments: [40_000, 200_000]) func `a list of any length is one condition`(count: Int) throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for number in 0..<300 { try context.insert(Note.self) { $0.title = "title \(number * 7)" } }
    let titles = Set((0..<count).map { "title \($0 * 2)" })
    for _ in 0..<2 {
      #expect(try context.count(Note.self, where: .among(\.title, titles)) == 150)
      try context.save()
    }
  }

  @Test(arguments: 0..<120) func `a condition finds what a plain filter finds, saved or not`(seed: Int) throws
  {
    var run = try GraphPropertyTests.Run(seed: UInt64(seed) &+ 10_000)
    for _ in 0..<6 {
      for _ in 0..<15 { try run.step() }
      try check(&run)
    }
    try run.reopen()
    try check(&run)
  }
}
