import ChangeTracking

/// What lies below the floor of the history need not be on the remote any more.
extension DocumentSyncManager {
  /// Reads the floors that are listed and were not read before.
  ///
  /// - Parameter again: whether to read those again that could not be read.
  func learnFloors(_ listing: HeadListing, _ heads: HeadTransfer, again: Bool = false) async throws {
    let known = Set(try pins.floors.filter { !again || $0.isReadable }.map(\.name))
    let listed = Set(listing.floors)
    guard !listed.isSubset(of: known) || !known.isSubset(of: listed) else { return }
    var read: [HistoryFloor: [UInt8]] = [:]
    for floor in listing.floors.reversed().filter({ !known.contains($0) }).prefix(Self.answerLimit) {
      read[floor] = try await heads.read(floor) ?? []
    }
    if !read.isEmpty { try pins.forgetFruitlessStores() }
    try pins.note(read, at: configuration.now(), keeping: listing.isCut ? known.union(listed) : listed)
  }

  /// Of each author, the last set below the floors that are in force.
  func floor() throws -> VersionVector {
    try pins.floors.filter { $0.name.phase == .inForce }.map(\.content)
      .reduce(VersionVector()) { $0.union($1) }
  }

  /// Of each author, this device among them, the last set that this device holds and the others can have.
  func contents() throws -> VersionVector {
    var contents = try replica.held()
    contents[try replica.author] = try replica.pushedSequence
    return contents
  }

  /// Whether sets that this device lacks may be gone, because whole stores contain them.
  func isBelowFloor() throws -> Bool {
    try !contents().covers(floor())
  }

  /// Waits no longer for what was removed because whole stores contain it, and tells the person who can do something about it. What was
  /// given up before the floor was here is no different.
  ///
  /// - Parameter again: whether to read floors again that could not be read, though nothing is waited for.
  func passOverFloor(
    _ listing: HeadListing, _ heads: HeadTransfer, again: Bool, _ report: inout SyncReport
  ) async throws {
    let isWaiting = report.findings.contains { $0.waitsFor != nil }
    let givenUp = try givenUpSets()
    guard isWaiting || !givenUp.isEmpty else { return }
    try await learnFloors(listing, heads, again: isWaiting || again)
    let floor = try floor()
    guard !floor.sequences.isEmpty else { return }
    // Whatever is left of a set that was removed, storage delivers no more of it.
    report.belowFloor = (report.findings + givenUp).filter { finding in
      guard case .waiting(let author, let sequence, _) = finding else { return false }
      return sequence <= floor[author]
    }
    guard !report.belowFloor.isEmpty else { return }
    report.findings.removeAll { report.belowFloor.contains($0) }
    report.findings.append(.belowFloor)
  }
}
