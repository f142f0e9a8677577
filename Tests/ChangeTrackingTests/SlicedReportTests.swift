import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// A merge goes in slices, and does not come to its end in one go.
@Suite struct SlicedReportTests {
  private struct Stopped: Error {}

  private static let count = 6

  /// A device with unsent titles of six tracks, and sets of another one with other titles, later ones, or with deletions of the tracks.
  private static func meeting(deletes: Bool = false, isLater: Bool = true) throws -> (
    device: ManagedDevice, sets: [ReceivedSet]
  ) {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let (here, there) = (
      try ManagedDevice("here", model, sliceLimit: 1), try ManagedDevice("there", model)
    )
    try there.edit { context in
      for number in 0..<count { _ = try context.insert(Track.self) { $0.title = "\(number)" } }
    }
    try here.receive(there.push())
    if !isLater { here.clock.advance(60_000) }
    try here.edit { context in
      for track in try context.fetch(FetchRequest<Track>()) { track.title = "here" }
    }
    if isLater { there.clock.advance(10_000) }
    try there.edit { context in
      for track in try context.fetch(FetchRequest<Track>()) {
        if deletes { context.delete(track) } else { track.title = "there" }
      }
    }
    return (here, try there.push())
  }

  private static func apply(
    _ sets: [ReceivedSet], on device: ManagedDevice, policy: ConflictAnswer = .latest,
    afterSlice: ((Int) throws -> Void)? = nil
  ) throws -> ApplyReport {
    var slices = 0
    let outcome = try device.replica.apply(sets, policy: .always(policy)) { _ in
      slices += 1
      try afterSlice?(slices)
    }
    guard case .applied(let report) = outcome else { throw Stopped() }
    return report
  }

  private static func stop(_ sets: [ReceivedSet], on device: ManagedDevice, policy: ConflictAnswer = .latest)
  {
    #expect(throws: Stopped.self) {
      try apply(sets, on: device, policy: policy) { if $0 > 3 { throw Stopped() } }
    }
  }

  @Test func `a merge goes on with what it has told when another program adds a row between slices`() throws {
    let (device, sets) = try Self.meeting()
    let connection = device.replica.connection

    let report = try Self.apply(sets, on: device) { slice in
      guard slice == 3 else { return }
      try connection.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 100 WHERE Z_NAME = 'Track'")
      try connection.run(
        """
        INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE)
        SELECT 100, Z_ENT, 1, 'of another program' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Track'
        """)
    }

    #expect(report.conflicts.count == Self.count)
    #expect(report.changedRows.updated.count == Self.count)
    #expect((report.changes, report.effective) == (Self.count, Self.count))
  }

  @Test func `what a merge has overruled that was stopped is told by the next one`() throws {
    let (device, sets) = try Self.meeting()
    Self.stop(sets, on: device)

    let report = try Self.apply(sets, on: device)

    #expect(report.conflicts.count == Self.count)
    #expect(
      report.conflicts.allSatisfy { $0.outcome == .remote && $0.localContent == .value(.string("here")) })
    #expect(try Self.apply(sets, on: device).conflicts.isEmpty)
  }

  @Test func `what the application gave instead in a merge that was stopped is told by the next one`() throws
  {
    let (device, sets) = try Self.meeting()
    let answer = ConflictAnswer.value(.string("answer"))
    Self.stop(sets, on: device, policy: answer)

    let report = try Self.apply(sets, on: device, policy: answer)

    let told = report.conflicts.filter { $0.localContent == .value(.string("here")) }
    #expect(told.count == Self.count)
    #expect(told.allSatisfy { $0.outcome == .custom && $0.settledContent == .value(.string("answer")) })
  }

  @Test func `edits that a deletion took along in a merge that was stopped are told by the next one`() throws
  {
    let (device, sets) = try Self.meeting(deletes: true)
    Self.stop(sets, on: device)

    let report = try Self.apply(sets, on: device)

    let told = report.warnings.filter { $0.kind == .attributesOfDeletedObjectChangedHere }
    #expect(told.count == Self.count)
    #expect(told.allSatisfy { $0.remote?.effect == .deleted && $0.key == "title" })
  }

  @Test func `what a merge tells again that was stopped is told once`() throws {
    let (device, sets) = try Self.meeting(isLater: false)
    Self.stop(sets, on: device)

    // In one slice, for it keeps its inverse.
    let outcome = try device.replica.apply(sets, policy: .always(.latest), keepsInverse: true)

    guard case .applied(let report) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(report.conflicts.count == Self.count)
    #expect(report.conflicts.allSatisfy { $0.outcome == .local })
  }

  @Test func `what waits for a report goes on waiting when the merge is stopped`() throws {
    let (device, sets) = try Self.meeting()
    let waiting = SettledConflicts.Entry(
      outcome: .local, entity: "Track", object: "somebody", key: "title", isAttribute: true,
      local: .wrote(.value(.string("mine"))), localStamp: Stamp(time: .init(bits: 9), author: .init(bits: 1)),
      remote: .wrote(.value(.string("theirs"))),
      remoteStamp: Stamp(time: .init(bits: 8), author: .init(bits: 2)), remoteClient: "there")
    try device.replica.begin { _ = try SettledConflicts($0.cells.state).insert([waiting]) }
    Self.stop(sets, on: device)

    let report = try Self.apply(sets, on: device)

    #expect(report.conflicts.contains { $0.id.object == "somebody" })
  }
}
