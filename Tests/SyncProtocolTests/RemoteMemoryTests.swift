import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What a device remembers of the remote does not grow with what others write there.
@Suite struct RemoteMemoryTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let document = ApplicationHierarchy(application: RemoteName(trusted: "com.example.notes"))
    .document(RemoteName(trusted: "notes"))

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
  }

  private func invent(_ count: Int, author: (Int) -> AuthorID) async throws {
    // Without encryption anybody can make the codes.
    let protection = try await a.protection()
    for number in 1...count {
      let hash = ContentHash(of: [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)])
      let head = protection.head(
        author: author(number), sequence: UInt64(number), seen: 0, hash: hash)
      try await remote.upload([], to: document.file(of: head))
    }
  }

  @Test func `heads of invented authors cost a bounded number of requests, and a bounded memory`()
    async throws
  {
    try await a.register(remote)
    try await invent(1_200) { AuthorID(bits: UInt64($0) + 1_000) }
    for _ in 1...6 { #expect(try await a.sync(remote).requests <= 400) }
    #expect(try await a.sync(remote).requests < 100)
    #expect(try a.remembered("blocked") <= 4_096)
    #expect(try a.remembered("head") <= 4_096)
  }

  @Test func `invented older heads of one author cost a bounded number of requests, and a bounded memory`()
    async throws
  {
    let b = Device("device-b", in: workplace)
    try await a.register(remote)
    try await b.register(remote)
    for number in 1...300 { try b.write("note \(number)", "text") }
    try await b.sync(remote)
    try await a.sync(remote)
    let author = try b.author
    try await invent(90) { _ in author }
    try await a.sync(remote)
    #expect(try await a.sync(remote).requests <= 40)
    #expect(try a.remembered("pendingFork") <= 256)
  }

  @Test func `own heads that were published long ago are forgotten`() async throws {
    try await a.register(remote)
    for number in 1...80 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    #expect(try a.remembered("ownHead") == 64)
  }

  @Test func `own sets are kept within a budget, the newest ones`() async throws {
    let frugal = Device("device-b", in: workplace, keptBytes: 2_000)
    let generous = Device("device-c", in: workplace)
    for device in [frugal, generous] {
      try await device.register(remote)
      for number in 1...30 {
        try device.write("note \(number)", "text")
        try await device.sync(remote)
      }
    }
    let kept = try frugal.keptSets()
    #expect(!kept.isEmpty && kept.count < 30)
    #expect(kept.reduce(0, +) <= 1_000)
    #expect(try generous.keptSets().count == 30)
  }
}
