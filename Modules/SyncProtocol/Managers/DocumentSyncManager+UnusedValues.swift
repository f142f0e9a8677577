import ChangeTracking

/// Long values that no set mentions any more: the sets that did were removed, and whole stores hold what they say.
extension DocumentSyncManager {
  /// Sets that are fetched together to see what they mention.
  private static let mentionBatch = 16
  /// Sets that are not settled here, and are read all the same, at most: whoever can write there can put any number in their places.
  private static let strangeSetLimit = 256

  /// Plans the removal of those that nothing has mentioned for as long as sets are announced.
  ///
  /// - Parameters:
  ///   - sets: all sets that lie there, some of which are to go.
  ///   - awaited: values that are missing in whole stores that stay.
  func planUnusedValues(
    _ plan: inout VacuumPlan, _ policy: VacuumPolicy, _ sets: [AuthorID: [SetName]],
    awaited: Set<ContentHash>, _ listing: HeadListing, _ protection: DocumentProtection
  ) async throws {
    let going = Set(plan.sets)
    let staying = sets.sorted { $0.key < $1.key }.flatMap { author, names in
      names.filter { !going.contains(.init(author: author, set: $0)) }
        .map { SetTransfer.Reference(author: author, set: $0) }
    }
    guard let unused = try await unusedLongValues(staying, awaited: awaited, listing, protection) else {
      return
    }
    let since = try pins.unusedLongValues
    let now = configuration.now()
    plan.unused = unused
    plan.longValues = unused.filter { name in
      policy.grace == 0 || since[name].map { now - min($0, now) >= policy.grace } ?? false
    }.sorted { $0.name < $1.name }
    plan.unusedLongValues = unused.count - plan.longValues.count
  }

  /// The long values that lie there although nothing that stays there mentions them, and nobody waits for them.
  ///
  /// - Parameters:
  ///   - sets: the sets that stay.
  ///   - awaited: values that are missing in whole stores that stay.
  /// - Returns: `nil` if nobody can tell, for one of the sets cannot be read.
  private func unusedLongValues(
    _ sets: [SetTransfer.Reference], awaited: Set<ContentHash>, _ listing: HeadListing,
    _ protection: DocumentProtection
  ) async throws -> Set<LongValueName>? {
    let values = LongValueTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    var unused = Set(try await values.sizes().keys)
    guard !unused.isEmpty else { return [] }
    let waiting = try replica.awaitedLongValues().map(\.hash) + replica.unsentLongValues()
    for hash in awaited.union(waiting) {
      unused.subtract(try LongValueName.candidates(hash, keys: protection.keys))
    }
    let asked = Set(
      listing.requests.compactMap { request in
        if case .value(let digits) = request.subject { digits } else { nil as ContentHash? }
      })
    unused = unused.filter { !asked.contains($0.digits) }
    let settled = try sets.filter {
      try replica.knows($0.set.hash, of: $0.author, sequence: $0.set.sequence)
    }
    let strange = Set(sets).subtracting(settled)
    guard strange.count <= Self.strangeSetLimit else { return nil }
    let transfer = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    var rest = (settled + strange)[...]
    while !rest.isEmpty, !unused.isEmpty {
      try Task.checkCancellation()
      let batch = Array(rest.prefix(Self.mentionBatch))
      rest = rest.dropFirst(batch.count)
      for (reference, outcome) in zip(batch, try await transfer.fetch(batch)) {
        switch outcome {
        case .received(let received):
          for value in received.set.missingLongValues {
            unused.subtract(try LongValueName.candidates(value.hash, keys: protection.keys))
          }
        case .obstacle:
          // What lies in the place of a set and is none mentions nothing.
          guard strange.contains(reference) else { return nil }
        }
      }
    }
    return unused
  }
}
