import ChangeTracking
import ObjectStore

/// What a replica needs of its store as a whole.
extension LocalStoreConformance {
  static let replicaLaws = [
    Law("what the engine writes is not recorded as a change of the user's") { context in
      let replica = try context.replica()
      var sets = RandomSets(context, seed: 1)
      for author in sets.make(authors: 2, sets: 3, changes: 40) {
        _ = try context.merge(author, into: replica)
      }
      try replica.freeze()
      let made = try replica.outbox().count
      try context.expect(made == 0, "after merges, there are \(made) sets of what nobody changed here")
    },
    Law("in whatever order sets arrive, the same is shown") { context in
      for seed in 1...5 as ClosedRange<UInt64> {
        let (first, second) = (try context.anotherStore(), try context.anotherStore())
        var random = RandomSets(first, seed: seed)
        let authors = random.make(authors: 3, sets: 4, changes: 30)
        let together = try first.shown(after: [authors.flatMap(\.self)])
        let oneByOne = try second.shown(after: authors.reversed().flatMap { $0.map { [$0] } })
        let differing = Set(together).symmetricDifference(oneByOne).sorted()
        try context.expect(
          differing.isEmpty, "two orders of the same sets show \(differing.prefix(6).joined(separator: "; "))"
        )
      }
    },
    Law("a set that arrives again changes nothing") { context in
      var random = RandomSets(context, seed: 9)
      let sets = random.make(authors: 2, sets: 2, changes: 40).flatMap(\.self)
      let replica = try context.replica()
      _ = try context.merge(sets, into: replica)
      let again = try context.merge(sets, into: replica)
      try context.expect(again.isEmpty, "sets that were merged before changed \(again.updated.count) rows")
    },
  ]
}

extension LawContext {
  func replica() throws -> Replica {
    try Replica(
      store: store,
      configuration: Replica.Configuration(client: "conformance", now: { 1_700_000_100_000 }))
  }

  /// Merges sets, and returns the rows that changed.
  func merge(_ sets: [ReceivedSet], into replica: Replica) throws -> ChangedRows {
    guard case .applied(let report) = try replica.apply(sets, policy: .always(.latest)) else {
      throw StoreConformanceFailure(description: "A merge has questions, though all are answered.")
    }
    return report.changedRows
  }

  /// What the store shows after some merges.
  func shown(after merges: [[ReceivedSet]]) throws -> [String] {
    let replica = try replica()
    var rows = ShownRows(self)
    for sets in merges { rows.note(try merge(sets, into: replica)) }
    return try rows.lines()
  }
}
