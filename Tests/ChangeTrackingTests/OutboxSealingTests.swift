import ObjectStore
import Testing

@testable import ChangeTracking

/// Sets that were made before it was known how they are sealed.
@Suite struct OutboxSealingTests {
  private static let seal: [UInt8] = [1, 2, 3]
  private static func isSealed(_ set: FrozenSet) -> Bool { set.bytes.suffix(3).elementsEqual(seal) }

  private let here: ManagedDevice
  private let there: ManagedDevice

  /// A device with several sets that are not sealed.
  init() throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    (here, there) = (try ManagedDevice("here", model, setLimit: 1), try ManagedDevice("there", model))
    for title in ["a", "b", "c"] {
      try here.edit { try $0.insert(Track.self).title = title }
      try here.replica.freeze()
    }
    here.replica.sealing = { plain, _, _ in plain + Self.seal }
  }

  @Test func `they are sealed in their places, and each names the one before`() throws {
    let before = try here.replica.outbox()
    try #require(before.count >= 3)

    #expect(try here.replica.sealOutbox(Self.isSealed))

    let sets = try here.replica.outbox()
    #expect(sets.map(\.sequence) == before.map(\.sequence))
    #expect(sets.allSatisfy(Self.isSealed))
    #expect(sets.allSatisfy { ContentHash(of: $0.bytes) == $0.hash })
    var previous: ContentHash?
    for frozen in sets {
      let set = try CompactCodec.decode(Array(frozen.bytes.dropLast(3)))
      #expect(set.previous == previous)
      previous = frozen.hash
    }
    let received = try sets.map { frozen in
      ReceivedSet(
        set: try CompactCodec.decode(Array(frozen.bytes.dropLast(3))), hash: frozen.hash)
    }
    try there.receive(received)
    let titles = try there.context.fetch(FetchRequest<Track>()).map(\.title).sorted()
    #expect(titles == ["a", "b", "c"])
  }

  @Test func `what is made afterwards follows on them`() throws {
    _ = try here.replica.sealOutbox(Self.isSealed)
    let last = try #require(try here.replica.outbox().last)
    try here.edit { try $0.insert(Track.self).title = "d" }
    try here.replica.freeze()

    let next = try #require(try here.replica.outbox().last)
    let set = try CompactCodec.decode(Array(next.bytes.dropLast(3)))
    #expect(set.sequence == last.sequence + 1 && set.previous == last.hash)
  }

  @Test func `nothing changes where one that is sealed follows one that is not`() throws {
    try here.edit { try $0.insert(Track.self).title = "d" }
    try here.replica.freeze()
    let before = try here.replica.outbox()

    #expect(try !here.replica.sealOutbox(Self.isSealed))

    #expect(try here.replica.outbox().map(\.bytes) == before.map(\.bytes))
  }

  @Test func `nothing changes where one was sealed for something else`() throws {
    _ = try here.replica.sealOutbox(Self.isSealed)
    let before = try here.replica.outbox()

    #expect(try !here.replica.sealOutbox { _ in false })

    #expect(try here.replica.outbox().map(\.bytes) == before.map(\.bytes))
  }

  @Test func `nothing changes where sealing fails`() throws {
    struct KeyMissing: Error {}
    let before = try here.replica.outbox()
    here.replica.sealing = { _, _, _ in throw KeyMissing() }

    #expect(throws: KeyMissing.self) { try here.replica.sealOutbox(Self.isSealed) }

    #expect(try here.replica.outbox().map(\.bytes) == before.map(\.bytes))
  }
}
