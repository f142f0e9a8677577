import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A device that was away for so long that sets which it needs were removed takes over a whole store, loses nothing and brings nothing back.
@Suite struct ReturnTests {
  private let stage: ReturnStage
  private var remote: MemoryBackend { stage.remote }
  private var a: Device { stage.a }
  private var b: Device { stage.b }
  private var c: Device { stage.c }

  init() throws { stage = try ReturnStage() }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `it takes over a whole store by itself, keeps what it had not pushed, and says so once`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await stage.leave(encryption)
    let former = try c.author
    let report = try await c.sync(remote)
    #expect(report.takenStore != nil)
    let told = report.findings.filter(\.isAboutReturn)
    #expect(told == [.returned(former: former, store: try a.author)])
    #expect(try c.author > former)
    try await stage.settle()
    #expect(try a.notes == stage.expected && b.notes == stage.expected && c.notes == stage.expected)
    for device in [a, b, c] {
      let report = try await device.sync(remote)
      #expect(report.requests == 1 && report.findings.isEmpty)
    }
    #expect(try await c.status(remote).blocked.isEmpty)
  }

  @Test(arguments: [false, true])
  func `its edit of a note that others have deleted is told of, pushed or not, and the note stays deleted`(
    isPushed: Bool
  ) async throws {
    try await stage.leave()
    var options = SyncOptions()
    options.returning = .never
    try c.write("deleted", "later than the deletion")
    if isPushed { #expect(try await c.sync(remote, options).pushed > 0) }
    let report = try await c.sync(remote)
    #expect(report.warnings.contains { $0.object == SyncID("deleted") })
    try await stage.settle()
    for device in [a, b, c] { #expect(try !device.shows("deleted") && !device.shows("deleted in vain")) }
  }

  @Test func `it holds back the next vacuum no more, and goes on from sets`() async throws {
    try await stage.leave()
    try await c.sync(remote)
    try await stage.settle()
    for number in 0..<2 {
      try b.write("after \(number)", "text")
      try await stage.settle()
      try await a.uploadStore(remote)
    }
    try await stage.settle()
    let vacuum = try await a.vacuum(remote, grace: 0)
    #expect(vacuum.plan.absent.isEmpty && vacuum.plan.holding.isEmpty && !vacuum.plan.sets.isEmpty)
    let report = try await c.sync(remote)
    #expect(report.takenStore == nil && report.findings.isEmpty)
  }

  @Test func `who declines stays as it is, is told so, and may agree later`() async throws {
    try await stage.leave()
    var options = SyncOptions()
    options.returning = .ask { _ in false }
    let report = try await c.sync(remote, options)
    #expect(report.findings.contains(.returnDeclined) && report.findings.contains(.belowFloor))
    #expect(try !c.shows("later 0") && c.shows("unpushed"))
    for _ in 0..<4 { try await c.sync(remote, options) }
    #expect(try await !c.status(remote).blocked.isEmpty)
    try await c.rejoin(remote)
    try await stage.settle()
    #expect(try c.notes == stage.expected && a.notes == stage.expected)
  }

  @Test(arguments: 0...5)
  func `after any number of synchronisations that were not to return the first that may returns`(
    _ count: Int
  ) async throws {
    try await stage.leave()
    var options = SyncOptions()
    options.returning = .never
    for _ in 0..<count { #expect(try await c.sync(remote, options).takenStore == nil) }

    #expect(try await c.sync(remote).takenStore != nil)

    try await stage.settle()
    #expect(try c.notes == stage.expected && a.notes == stage.expected)
  }

  /// Whole stores of a device that lacks sets and has not heard that they were removed: of the remote it sees neither floors nor the whole
  /// stores of the others.
  private func uploadStores(_ count: Int, of device: Device) async throws {
    let late = remote.files.keys.filter { path in
      path.name.map { HistoryFloor($0) != nil || WholeStoreName($0) != nil } ?? false
    }
    for path in late { remote.hide(path) }
    for number in 0..<count {
      try device.write("own", "text \(number)")
      try await device.sync(remote)
      try await device.uploadStore(remote)
    }
    remote.showAll()
    for path in late where path.name.flatMap({ HistoryFloor($0) }) != nil { remote.hide(path) }
  }

  private func wholeStores(of author: AuthorID) -> [RemotePath] {
    remote.paths { WholeStoreName($0) }.filter { $0.name.flatMap { WholeStoreName($0) }?.author == author }
  }

  @Test func `what a device lacks lies in whole stores that its vacuum leaves there`() async throws {
    try await stage.leave()
    let before = wholeStores(of: try a.replica().author)
    try #require(!before.isEmpty)
    try await uploadStores(2, of: c)

    let vacuum = try await c.vacuum(remote, grace: 0)

    #expect(vacuum.plan.obstacle == .incomplete)
    #expect(wholeStores(of: try a.replica().author) == before)
    remote.showAll()
    #expect(try await c.sync(remote).takenStore != nil)
  }

  @Test func `however many newer whole stores lack what a device needs, it takes over the one that has it`()
    async throws
  {
    try await stage.leave()
    try await uploadStores(6, of: c)
    remote.showAll()

    let taken = try await c.sync(remote).takenStore

    #expect(try taken?.author == a.replica().author)
    try await stage.settle()
    #expect(try c.notes == (stage.expected + ["own: text 5"]).sorted() && a.notes == c.notes)
  }

  @Test func `a whole store that does not open is told of, and the next one is taken`() async throws {
    try await stage.leave()
    let stores = remote.paths { WholeStoreName($0) }.compactMap(\.name).compactMap { WholeStoreName($0) }
    let newest = try #require(stores.max())
    let path = DocumentHierarchy.notes.file(of: newest)
    let size = try await remote.download(path, limit: .max).count
    try await remote.upload([UInt8](repeating: 7, count: size), to: path)
    let report = try await c.sync(remote)
    #expect(report.takenStore != nil && report.takenStore != newest)
    let hasTold = report.findings.contains { if case .wholeStoreRefused = $0 { true } else { false } }
    #expect(hasTold)
    try await stage.settle()
    #expect(try c.notes == stage.expected)
  }

  @Test func `without a whole store it stays blocked, and returns when there is one`() async throws {
    try await stage.leave()
    for path in remote.paths({ WholeStoreName($0) }) { try await remote.remove(path) }
    #expect(try await c.sync(remote).findings.contains(.belowFloor))
    await #expect(throws: SyncError.self) { try await c.rejoin(remote) }
    try await a.uploadStore(remote)
    try await c.rejoin(remote)
    try await stage.settle()
    #expect(try c.notes == stage.expected && a.notes == stage.expected)
  }

  @Test(arguments: [true, false], [31, 100] as [UInt64])
  func `what was removed is not given up after 30 days while the floor that tells of it is late or torn`(
    _ isLate: Bool, _ days: UInt64
  ) async throws {
    try await stage.leave()
    let floors = remote.files.filter { $0.key.name.flatMap { HistoryFloor($0) } != nil }
    try #require(!floors.isEmpty)
    func damage() {
      for path in floors.keys {
        if isLate { remote.hide(path) } else { remote.tamper(path) { $0 = Array($0.prefix(5)) } }
      }
    }
    damage()
    var options = SyncOptions()
    options.returning = .never
    #expect(try await c.sync(remote, options).findings.contains { $0.waitsFor != nil })
    stage.workplace.clock.advance(days * 24 * 60 * 60 * 1_000)

    let report = try await c.sync(remote, options)
    let isGivenUp = report.findings.contains { if case .givenUp = $0 { true } else { false } }
    #expect(!isGivenUp)

    remote.showAll()
    for (path, bytes) in floors { remote.tamper(path) { $0 = bytes } }
    #expect(try await c.sync(remote).takenStore != nil)
    try await stage.settle()
    #expect(try c.notes == stage.expected && a.notes == stage.expected)
  }

  @Test func `a person may take over a whole store for whatever other reason, and loses nothing`()
    async throws
  {
    try await stage.meet(.none)
    try await a.uploadStore(remote)
    try c.write("unpushed", "of c")
    try b.write("of b", "text")
    try await b.sync(remote)
    let report = try await c.rejoin(remote)
    #expect(report.takenStore != nil)
    try await stage.settle()
    #expect(try c.shows("unpushed") && c.shows("of b") && a.notes == c.notes && b.notes == c.notes)
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of the return fails, the next synchronisation completes it`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let stage = try ReturnStage()
      try await stage.leave()
      let faulty = FaultyBackend(stage.remote, after: requests, fault)
      _ = try? await stage.c.sync(faulty)
      #expect(try stage.c.shows("unpushed"), "after \(requests) requests")
      for _ in 0..<3 { try await stage.c.sync(stage.remote) }
      try await stage.settle()
      for device in [stage.a, stage.b, stage.c] {
        #expect(try device.notes == stage.expected, "after \(requests) requests")
      }
      guard faulty.hasFailed else { break }
      requests += 1
    }
    #expect(requests > 8)
  }
}

/// Three devices of which one stays away while the others go on and remove what it needs.
struct ReturnStage {
  let remote = MemoryBackend()
  let workplace: Workplace
  let (a, b, c): (Device, Device, Device)
  static let day: UInt64 = 24 * 60 * 60 * 1_000

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// What all show once the device is back.
  let expected = [
    "both: later", "edited: by c", "first: text", "later 0: text", "later 1: text", "later 2: text",
    "last: text", "unpushed: of c",
  ].sorted()

  /// All three have the same notes.
  func meet(_ encryption: EncryptionChoice) async throws {
    for device in [a, b, c] { try await device.register(remote, encryption) }
    for note in ["first", "edited", "both", "deleted", "deleted in vain"] { try a.write(note, "text") }
    for _ in 0..<2 { for device in [a, b, c] { try await device.sync(remote) } }
  }

  /// One makes changes and does not synchronise, and the others remove the sets that it lacks.
  func leave(_ encryption: EncryptionChoice = .none) async throws {
    try await meet(encryption)
    try c.write("unpushed", "of c")
    try c.write("edited", "by c")
    try c.write("both", "earlier")
    try c.write("deleted", "by c")
    try a.delete("deleted")
    try a.delete("deleted in vain")
    try b.write("both", "later")
    for number in 0..<3 {
      try b.write("later \(number)", "text")
      // Or the set that deletes notes would be the last of its author, which is never removed.
      try a.write("first", number == 2 ? "text" : "text \(number)")
      for device in [b, a, b] { try await device.sync(remote) }
      try await a.uploadStore(remote)
    }
    try await a.vacuum(remote, grace: 0)
    workplace.clock.advance(90 * Self.day)
    try await a.vacuum(remote, grace: 0)
    try b.write("last", "text")
    for device in [b, a, b] { try await device.sync(remote) }
  }

  func settle() async throws {
    for _ in 0..<3 { for device in [c, a, b] { try await device.sync(remote) } }
  }
}
