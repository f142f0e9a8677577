import BackendConformance
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// Requests for lost sets: who takes them away, and what the asker makes of it.
@Suite struct AnsweredRequestTests {
  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    (a, b, _) = workplace.devices()
  }

  private var requests: [RemotePath] { remote.paths { ResendRequest($0) } }

  /// Three sets of the first device, of which storage has lost the second before the other has read it.
  private func loseSecond() async throws {
    for device in [a, b] { try await device.register(remote) }
    for name in ["one", "two", "three"] {
      try a.write(name, "text")
      try await a.sync(remote)
      if name == "one" { try await b.sync(remote) }
    }
    for path in remote.paths({ SetName($0) }) where path.name.flatMap({ SetName($0) })?.sequence == 2 {
      try await remote.remove(path)
    }
  }

  @Test(arguments: [1, 7, 40])
  func `a set that was given up is read with the next synchronisation after its author has sent it again`(
    syncs: Int
  ) async throws {
    try await loseSecond()
    for _ in 0..<4 { try await b.sync(remote) }
    workplace.clock.advance(31 * Self.day)
    for _ in 0..<2 + syncs { try await b.sync(remote) }
    #expect(try b.notes == ["one: text", "three: text"])
    #expect(try await b.status().givenUp.map(\.sequence) == [2])
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
    for device in [a, b, a, b] { try await device.sync(remote) }
    #expect(requests.isEmpty)
    #expect(try await b.status().givenUp.isEmpty)
    for device in [a, b] { #expect(try await device.sync(remote).requests == 1) }
  }

  @Test func `what was sent again and is slow to arrive is looked for some times, and asked for again`()
    async throws
  {
    try await loseSecond()
    for _ in 0..<4 { try await b.sync(remote) }
    workplace.clock.advance(31 * Self.day)
    for _ in 0..<20 { try await b.sync(remote) }
    try await a.sync(remote)
    let sent = remote.paths { SetName($0) }.filter { $0.name.flatMap { SetName($0) }?.sequence == 2 }
    for path in sent { try await remote.remove(path) }
    for _ in 0..<5 { try await b.sync(remote) }
    #expect(requests.count == 1)
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test func `a request that was answered is gone, though its asker never comes back`() async throws {
    try await loseSecond()
    for _ in 0..<3 { try await b.sync(remote) }
    try #require(requests.count == 1)
    try await a.sync(remote)
    #expect(requests.isEmpty)
    #expect(try await a.status().asking.isEmpty)
  }

  @Test func `what a device asked for before its store was restored it takes back`() async throws {
    try await loseSecond()
    let backup = try b.backUp()
    try b.write("four", "text")
    for _ in 0..<3 { try await b.sync(remote) }
    try #require(requests.count == 1)
    let former = try b.author
    try b.restore(backup)
    try await b.sync(remote)
    #expect(try b.author != former)
    #expect(!requests.contains { $0.description.contains("/\(former).") })
  }

  @Test func `an asker whose sets others have said again, and who has no head, is not told of`() async throws
  {
    try await loseSecond()
    try b.write("own", "text")
    for _ in 0..<3 { try await b.sync(remote) }
    let asker = try b.author
    let heads = remote.paths { HeadName($0) }.filter { $0.name.flatMap { HeadName($0) }?.author == asker }
    for path in heads { try await remote.remove(path) }
    let content = Supersession.Content(chain: ContentHash(of: []), sets: [])
    let statement = Supersession(
      author: try a.author, restated: 1, former: asker, through: 9,
      code: try #require(NameCode(String(repeating: "0", count: NameCode.digits))))
    try a.noteFollowed(statement, content)
    let listing = try HeadListing(await remote.list(DocumentHierarchy.notes.recentSyncs))
    try #require(listing.requests.count == 1)
    #expect(try await a.manager(remote).requestsOfOthers(listing).isEmpty)
  }
}
