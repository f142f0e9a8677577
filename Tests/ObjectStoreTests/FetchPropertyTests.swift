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
