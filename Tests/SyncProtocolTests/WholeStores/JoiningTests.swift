import BackendConformance
import ChangeTracking
import Foundation
import TICDSSQLite
import Testing

@testable import SyncProtocol

/// A device that holds something already joins a document that others have filled.
@Suite struct JoiningTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  /// What two devices have, and what the one that is to join holds: one note that all have in different versions, and one each.
  private func fill() async throws {
    try c.write("both", "of c, earlier")
    for device in [a, b] { try await device.register(remote) }
    try a.write("both", "of a")
    try a.write("there", "of a")
    try c.write("here", "of c")
    for device in [a, b, a] { try await device.sync(remote) }
  }

  private func exchange() async throws {
    for device in [c, a, b, c, a] { try await device.sync(remote) }
    #expect(try a.notes == c.notes && b.notes == c.notes)
  }

  @Test(arguments: [
    (JoiningChoice.merge, false, "of a"), (.merge, true, "of c, later"), (.ours, false, "of c, earlier"),
    (.theirs, true, "of a"),
  ])
  func `of what differs the later change wins, or the side that was chosen`(
    _ choice: JoiningChoice, isLater: Bool, _ expected: String
  ) async throws {
    try await fill()
    if isLater { try c.write("both", "of c, later") }
    try await c.register(remote, joining: choice)
    try await exchange()
    #expect(try c.notes == ["both: \(expected)", "here: of c", "there: of a"])

    // From then on the later change wins.
    try c.write("both", "of c at last")
    try a.write("both", "of a at last")
    try await a.sync(remote)
    try await exchange()
    #expect(try a.notes.contains("both: of a at last"))
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of the first synchronisation fails, this store's values win all the same`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let tests = try JoiningTests()
      try await tests.fill()
      try await tests.c.register(tests.remote, joining: .ours)
      let faulty = FaultyBackend(tests.remote, after: requests, fault)
      _ = try? await tests.c.sync(faulty)
      try await tests.exchange()
      #expect(try tests.a.notes.contains("both: of c, earlier"), "after \(requests) requests")
      guard faulty.hasFailed else { break }
      requests += 1
    }
    #expect(requests > 4)
  }

  @Test
  func
    `a request of the first synchronisation that is lost by itself lets this store's values win all the same`()
    async throws
  {
    var requests = 0
    while true {
      let tests = try JoiningTests()
      try await tests.fill()
      try await tests.c.register(tests.remote, joining: .ours)
      let faulty = FaultyBackend(failing: tests.remote, requests: [requests])
      _ = try? await tests.c.sync(faulty)
      try await tests.exchange()
      #expect(try tests.a.notes.contains("both: of c, earlier"), "request \(requests)")
      guard faulty.hasFailed else { break }
      requests += 1
    }
    #expect(requests > 4)
  }

  // MARK: Their store

  private func replace(
    _ backend: any SyncBackend, opening: ((String) throws -> Replica)? = nil
  ) async throws -> BegunStore {
    let application = ApplicationSyncManager(backend: backend, configuration: try c.configuration)
    try await application.register(.none, mayCreate: false)
    return try await application.document(c.document).replaceStore(
      at: c.path, opening: opening ?? { try c.replica(NoteStore(path: $0)) },
      making: { _ = try NoteStore(path: $0) })
  }

  private var kept: StoreReplacement { StoreReplacement(path: c.path) }

  @Test(arguments: [true, false])
  func `their whole store takes the place of this one, which is kept until it was synchronised once`(
    hasStore: Bool
  ) async throws {
    try await fill()
    if hasStore { try await a.uploadStore(remote) }
    let own = try c.notes
    let begun = try await replace(remote)
    #expect((begun.store != nil) == hasStore)
    #expect(try c.notes == (hasStore ? a.notes : []))
    #expect(try NoteStore(path: kept.keptStore).row("here") != nil)
    #expect(own.count == 2)

    try await c.register(remote, joining: .theirs)
    // A synchronisation that fails is none.
    _ = try? await c.sync(FaultyBackend(remote, after: 0, .requestLost))
    #expect(FileManager.default.fileExists(atPath: kept.keptStore))
    try await c.sync(remote)
    #expect(!FileManager.default.fileExists(atPath: kept.keptFolder))
    try await exchange()
    #expect(try c.notes == ["both: of a", "there: of a"])
  }

  @Test func `whatever interrupts the exchange, one of the stores is there in full and nothing is lost`()
    async throws
  {
    var requests = 0
    while true {
      let tests = try JoiningTests()
      try await tests.fill()
      try await tests.a.uploadStore(tests.remote)
      let own = try tests.c.notes
      let faulty = FaultyBackend(tests.remote, after: requests, .requestLost)
      let begun = try? await tests.replace(faulty)
      if begun == nil { #expect(try tests.c.notes == own, "after \(requests) requests") }
      guard faulty.hasFailed else { break }
      _ = try await tests.replace(tests.remote)
      #expect(try tests.c.notes == tests.a.notes)
      #expect(try NoteStore(path: tests.kept.keptStore).row("here") != nil)
      requests += 1
    }
    #expect(requests > 4)
  }

  @Test func `a store that is open elsewhere stays where it is`() async throws {
    try await fill()
    try await a.uploadStore(remote)
    let own = try c.notes
    let other = try Connection(path: c.path)
    try other.execute(script: "BEGIN IMMEDIATE; UPDATE note SET text = text")
    await #expect(throws: SyncError.self) { _ = try await replace(remote) }
    try other.execute(script: "ROLLBACK")
    #expect(try c.notes == own)
  }

  @Test func `after an interruption between keeping and placing, the first store is the one that is kept`()
    throws
  {
    let place = StoreReplacement(path: workplace.file("place.sqlite"))
    func make(_ path: String, _ text: String) throws {
      let connection = try Connection(path: path)
      try connection.execute(
        script: "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES ('\(text)')")
    }
    func content(_ path: String) throws -> SQLiteValue? {
      try Connection(path: path, options: .init(access: .readOnly)).first("SELECT x FROM t")
    }
    try make(place.path, "first")
    try make(workplace.file("second.sqlite"), "second")
    try make(workplace.file("third.sqlite"), "third")
    // What a log holds goes along, and no log is left to be taken for the new store's.
    var writer: Connection? = try Connection(path: place.path)
    try writer?.execute(script: "UPDATE t SET x = 'first, edited'")
    #expect(throws: SyncError.self) { try place.exchange(for: workplace.file("second.sqlite")) }
    writer = nil
    try place.exchange(for: workplace.file("second.sqlite"))
    #expect(try content(place.path) == .text("second"))
    #expect(try content(place.keptStore) == .text("first, edited"))
    #expect(!FileManager.default.fileExists(atPath: place.path + "-wal"))

    try place.exchange(for: workplace.file("third.sqlite"))
    #expect(try content(place.path) == .text("third"))
    #expect(try content(place.keptStore) == .text("first, edited"))
    place.finish()
    #expect(!FileManager.default.fileExists(atPath: place.keptFolder))
  }
}
