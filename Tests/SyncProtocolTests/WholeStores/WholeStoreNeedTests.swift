import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// When a device uploads a whole store by itself.
@Suite struct WholeStoreNeedTests {
  private func need(
    held: UInt64, newest: UInt64 = 0, looked: UInt64 = 0, averageSize: UInt64 = 1_000,
    leastSetSize: UInt64 = 0, rank: Int = 0
  ) -> WholeStoreNeed {
    WholeStoreNeed(
      policy: WholeStorePolicy(sets: 100, relativeSize: 1, leastSetSize: leastSetSize, mostSets: 1_000),
      held: held,
      memory: .init(newest: newest, looked: looked, sets: 1, bytes: averageSize), rank: rank)
  }

  @Test func `nobody looks before there are enough sets, and then not with each set`() {
    #expect(!need(held: 99).isLookDue)
    #expect(need(held: 100).isLookDue)
    #expect(!need(held: 120, looked: 100).isLookDue)
    #expect(need(held: 125, looked: 100).isLookDue)
    #expect(!need(held: 250, newest: 200, looked: 205).isLookDue)
    #expect(need(held: 300, newest: 200, looked: 205).isLookDue)
  }

  @Test func `a device whose turn it is later waits for more sets, and yet for half as many at most`() {
    let first = (0...10).map { rank in
      (0...1_000).first { need(held: $0, rank: rank).isLookDue }
    }
    #expect(first == [100, 112, 124, 136, 148, 148, 148, 148, 148, 148, 148])
  }

  @Test func `the sets must be worth the whole store in size, or very many`() {
    #expect(need(held: 100).isUploadDue(after: 0, size: 0))
    #expect(!need(held: 250).isUploadDue(after: 200, size: 1))
    #expect(need(held: 350).isUploadDue(after: 200, size: 150_000))
    #expect(!need(held: 350).isUploadDue(after: 200, size: 150_001))
    #expect(need(held: 1_200).isUploadDue(after: 200, size: 1 << 40))
    #expect(!need(held: 100).isUploadDue(after: 500, size: 1), "what contains more than is here")
  }

  @Test func `however small a set is, it counts as a file that costs room and requests`() {
    #expect(need(held: 350, averageSize: 20, leastSetSize: 2_000).isUploadDue(after: 200, size: 300_000))
    #expect(!need(held: 350, averageSize: 20, leastSetSize: 2_000).isUploadDue(after: 200, size: 300_001))
    #expect(need(held: 350, averageSize: 3_000, leastSetSize: 2_000).isUploadDue(after: 200, size: 450_000))
    #expect(!need(held: 250, averageSize: 20, leastSetSize: 2_000).isUploadDue(after: 200, size: 1))
  }

  @Test func `each author has a turn, and all know whose it is`() {
    let authors = [7, 3, 9].map { AuthorID(bits: $0) }
    for turn in UInt64(0)..<6 {
      let ranks = authors.map { WholeStoreNeed.rank(of: $0, among: authors, turn: turn) }
      #expect(ranks.sorted() == [0, 1, 2])
    }
    #expect(Set((0..<3).map { WholeStoreNeed.rank(of: authors[0], among: authors, turn: $0) }).count == 3)
    #expect(WholeStoreNeed.rank(of: AuthorID(bits: 1), among: [], turn: .max) == 0)
  }

  // MARK: In synchronisations

  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private var stores: Int { remote.paths { WholeStoreName($0) }.count }

  private func options(_ sets: UInt64) -> SyncOptions {
    var options = SyncOptions()
    options.wholeStores = WholeStorePolicy(sets: sets)
    return options
  }

  private func write(_ count: Int, _ options: SyncOptions) async throws {
    for number in 0..<count {
      try a.write("a\(number)", "text")
      try await a.sync(remote, options)
      try b.write("b\(number)", "text")
      try await b.sync(remote, options)
    }
  }

  @Test func `once there are enough sets a whole store lies there, from which others begin`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await write(10, options(8))
    #expect((1...4).contains(stores))
    #expect(try await c.begin(remote).store != nil)
    try await c.sync(remote)
    try await a.sync(remote)
    #expect(try c.notes == a.notes && a.notes.count == 20)
  }

  @Test
  func `where sets were removed and few come each day, another whole store comes once there are enough`()
    async throws
  {
    for device in [a, b] { try await device.register(remote) }
    try await write(10, options(8))
    try await a.sync(remote)
    try await a.vacuum(remote, grace: 0)
    try #require(!remote.paths { HistoryFloor($0) }.isEmpty)
    let before = Set(remote.paths { WholeStoreName($0) })
    for day in 0..<40 {
      workplace.clock.advance(25 * 60 * 60 * 1_000)
      let device = day.isMultiple(of: 2) ? a : b
      try device.write("day \(day)", "text")
      try await device.sync(remote, options(8))
    }
    #expect(!before.isSuperset(of: remote.paths { WholeStoreName($0) }))
  }

  @Test func `who has nothing to transfer asks for nothing more than the heads`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await write(10, options(1_000))
    for device in [a, b] { try await device.sync(remote, options(1_000)) }
    #expect(stores == 0)
    #expect(try await a.sync(remote, options(4)).requests == 1)
    #expect(stores == 0)
  }

  @Test func `it can be switched off`() async throws {
    for device in [a, b] { try await device.register(remote) }
    var options = SyncOptions()
    options.wholeStores = nil
    try await write(10, options)
    #expect(stores == 0)
  }

  @Test func `what goes wrong with the whole store is told, and the changes are there`() async throws {
    try await a.register(remote)
    let full = NoRoomForStores(backend: remote)
    for number in 0..<12 {
      try a.write("a\(number)", "text")
      let report = try await a.sync(full, options(10))
      let isTold = report.findings.contains { if case .wholeStoreNotUploaded = $0 { true } else { false } }
      // Tried when there are ten sets, and again two sets later.
      #expect(isTold == [9, 11].contains(number), "\(number)")
      #expect(report.uploadedStore == nil)
    }
    try await b.register(remote)
    try await b.sync(remote)
    #expect(try b.notes.count == 12)
  }
}

/// Storage that has no room for whole stores.
private struct NoRoomForStores: ForwardingBackend {
  let backend: any SyncBackend

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    throw BackendError(.quotaExceeded, path: path)
  }
}
