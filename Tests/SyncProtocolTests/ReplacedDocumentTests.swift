import BackendConformance
import Testing

@testable import SyncProtocol

/// A document's folder that was removed or put back by storage, with a successor or without.
@Suite struct ReplacedDocumentTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  @Test func `a document's sets are not accepted in its successor, nor its record`() async throws {
    try await a.register(remote, .password("pass"))
    try a.write("one", "of the former")
    try await a.sync(remote)
    let former = remote.copy()
    try await remote.remove(DocumentHierarchy.notes.root)
    workplace.clock.advance(1_000)
    try await b.register(remote, .password("pass"))
    // Storage puts everything back, and a newcomer comes.
    remote.meet(former)
    workplace.clock.advance(1_000)
    try await c.register(remote, .password("pass"))
    try c.write("two", "of the successor")
    for _ in 0..<3 { for device in [b, c] { try await device.sync(remote) } }
    #expect(try b.notes == ["two: of the successor"])
    #expect(try c.notes == ["two: of the successor"])
  }

  @Test func `a founding that is only late may come yet, and that is said`() async throws {
    try await a.register(remote)
    let alone = MemoryBackend()
    try await b.register(alone)
    for (device, place) in [(a, remote), (b, alone)] {
      try device.write("of \(device.client)", "text")
      try await device.sync(place)
    }
    let all = remote.copy()
    try await remote.remove(DocumentHierarchy.notes.root)
    remote.meet(alone)
    let error = await failure { try await a.sync(remote) }
    #expect(error?.code == .documentReplaced)
    #expect(error?.message.contains("late") == true && error?.recovery.contains("Wait") == true)
    remote.meet(all)
    for _ in 1...3 { for device in [a, b] { try await device.sync(remote) } }
    #expect(try a.notes.count == 2)
    #expect(try b.notes.count == 2)
  }

  @Test func `an empty file named like the own head does not hide that the document was replaced`()
    async throws
  {
    try await a.register(remote, .password("pass"))
    try a.write("one", "text")
    try await a.sync(remote)
    let head = try #require(remote.paths { HeadName($0) }.first)
    try await remote.remove(DocumentHierarchy.notes.root)
    try await b.register(remote, .password("pass"))
    try await remote.upload([], to: head)
    try a.write("two", "text")
    #expect(await refusal { try await a.sync(remote) } == .documentReplaced)
    #expect(remote.paths { SetName($0) }.isEmpty)
  }

  @Test func `a founding record that was lost is put back by a device that has its heads before it`()
    async throws
  {
    try await a.register(remote, .password("pass"))
    try a.write("one", "text")
    try await a.sync(remote)
    let record = try #require(
      remote.paths { FoundingName($0) }.first { $0.parent == DocumentHierarchy.notes.integrityKey })
    let bytes = remote.files[record]
    try await remote.remove(record)
    #expect(await refusal { try await b.register(remote, .password("pass")) } == .notDelivered)
    try await a.register(remote, .password("pass"))
    #expect(remote.files[record] == bytes)
    try await b.register(remote, .password("pass"))
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  /// What storage loses beside the founding record of `a`.
  enum Loss: CaseIterable { case nothingElse, heads }

  @Test(arguments: [EncryptionChoice.none, .password("pass")], Loss.allCases)
  func `a founding record that was lost is put back although another founding of the document is there`(
    _ encryption: EncryptionChoice, _ loss: Loss
  ) async throws {
    for rounds in [0, 3] {
      let remote = MemoryBackend()
      let workplace = try Workplace(seed: UInt64(rounds) + 1)
      let (a, b, c) = workplace.devices()
      let elsewhere = MemoryBackend()
      for (device, storage) in [(a, remote), (b, elsewhere)] {
        try await device.register(storage, encryption)
        try device.write("by \(device.client)", "text")
        try await device.sync(storage)
      }
      let founding = try #require(
        remote.paths { FoundingName($0) }.first { $0.parent == DocumentHierarchy.notes.integrityKey })
      remote.meet(elsewhere)
      // Joins with one password and so has, and passes on, both keys.
      let d = Device("device-d", in: workplace)
      if case .password = encryption { _ = try await d.application(remote).register(encryption) }
      for _ in 0..<rounds { for device in [a, b] { try await device.sync(remote) } }

      try await remote.remove(founding)
      let author = try a.author
      if loss == .heads {
        for path in remote.paths({ HeadName($0) })
        where path.name.flatMap({ HeadName($0) })?.author == author { try await remote.remove(path) }
      }
      try a.write("later", "text")
      for _ in 0..<6 {
        for device in [a, b] { try await device.sync(remote) }
        workplace.clock.advance(25 * 60 * 60 * 1_000)
      }
      #expect(remote.files[founding] != nil, "\(rounds)")
      try await c.register(remote, encryption)
      try await c.sync(remote)
      for device in [a, b, c] {
        #expect(try device.notes == ["by device-a: text", "by device-b: text", "later: text"], "\(rounds)")
      }
    }
  }
}
