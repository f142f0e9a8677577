import BackendConformance
import Foundation
import Testing

@testable import SyncProtocol

@Suite struct SynchronizationTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func registerBoth(_ encryption: EncryptionChoice = .none) async throws {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `two devices exchange what they wrote`(_ encryption: EncryptionChoice) async throws {
    try await registerBoth(encryption)
    try a.write("one", "from a")
    try b.write("two", "from b")

    let first = try await a.sync(remote)
    let second = try await b.sync(remote)
    let third = try await a.sync(remote)

    #expect(try a.notes == ["one: from a", "two: from b"])
    #expect(try b.notes == a.notes)
    #expect((first.pushed, first.pulled) == (1, 0))
    #expect((second.pushed, second.pulled, second.applied) == (1, 1, 1))
    #expect((third.pushed, third.pulled, third.applied) == (0, 1, 1))
    #expect((first.findings + second.findings + third.findings).isEmpty)
  }

  @Test func `who joins late learns at once what the devices are called whose sets are merged`() async throws
  {
    try await a.register(remote, .none)
    for number in 1...3 {
      try a.write("note \(number)", "text")
      try await a.sync(remote)
    }
    try await b.register(remote, .none)
    try await b.sync(remote)
    #expect(try await b.status().names[a.author] == "Device device-a")
    #expect(try await b.sync(remote).requests == 1)
  }

  @Test func `an older head that lies beside the newer one makes no branch`() async throws {
    try await a.register(remote, .none)
    try a.write("one", "text")
    try await a.sync(remote)
    let older = try #require(remote.paths { HeadName($0) }.first)
    let bytes = try #require(remote.files[older])
    try a.write("two", "text")
    try await a.sync(remote)
    try await remote.upload(bytes, to: older)
    try await b.register(remote, .none)
    for _ in 1...2 { #expect(try await b.sync(remote).findings.isEmpty) }
    #expect(try b.notes == a.notes)
  }

  @Test func `what is sealed cannot be read on the remote`() async throws {
    try await registerBoth(.password("correct horse"))
    try a.write("one", "a secret that nobody must read")
    try await a.sync(remote)
    for (path, bytes) in remote.files where path.name?.description != "ReadMe.txt" {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("secret") && !text.contains("Device"), "\(path)")
    }
  }

  @Test func `a sync with nothing to do makes one request and touches nothing`() async throws {
    try await registerBoth()
    // Once, it learns what people call the device that has joined.
    #expect(try await a.sync(remote).requests == 2)
    let created = remote.files
    let first = try await a.sync(remote)
    #expect(first.requests == 1)
    #expect(remote.files == created)

    for round in 0..<30 {
      try a.write("note \(round)", "text")
      try await a.sync(remote)
      try await b.sync(remote)
    }
    try await a.sync(remote)
    let before = remote.files
    #expect(try await a.sync(remote).requests == 1)
    #expect(try await b.sync(remote).requests == 1)
    #expect(remote.files == before)
  }

  @Test func `one new set costs a listing, a download and a head`() async throws {
    try await registerBoth()
    try a.write("none", "text")
    try await a.sync(remote)
    // The first set of a device that was not met before comes with the name of the device, from its head.
    #expect(try await b.sync(remote).requests == 5)
    try a.write("one", "text")
    let push = try await a.sync(remote)
    let pull = try await b.sync(remote)
    // Listing, set, head, removal of the former head; listing, set, head, removal.
    #expect(push.requests == 4)
    #expect(pull.requests == 4)
  }

  @Test func `others learn that everything was seen, and that is the end of it`() async throws {
    try await registerBoth()
    try a.write("one", "text")
    try await a.sync(remote)
    #expect(try await a.status().devices.map(\.hasSeenEverything).sorted { $0 && !$1 } == [true, false])
    try await b.sync(remote)
    let before = remote.files
    #expect(try await a.sync(remote).requests == 1)
    #expect(remote.files == before)
    #expect(try await a.status().devices.allSatisfy(\.hasSeenEverything))
    #expect(try await a.status().replica.isPushed)
  }

  @Test func `a long history arrives in batches`() async throws {
    try await registerBoth()
    for number in 0..<150 { try a.write("note \(number)", "text \(number)") }
    let push = try await a.sync(remote)
    #expect(push.pushedSets == 50)
    let pull = try await b.sync(remote)
    #expect(pull.pulledSets == 50)
    #expect(try b.notes == a.notes)
  }

  @Test func `the remote looks as documented`() async throws {
    try await a.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    let author = try a.author.description
    let snapshot = remote.snapshot.replacingOccurrences(of: author, with: "AUTHOR")
      .replacing(/[0-9a-f]{32}/, with: "HASH").replacing(/\.[0-9a-f]{20}\./, with: ".CODE.")
    #expect(
      snapshot == """
        com.example.notes/
        com.example.notes/ClientDevices/
        com.example.notes/ClientDevices/device-a/
        com.example.notes/ClientDevices/device-a/deviceInfo.plist
        com.example.notes/Documents/
        com.example.notes/Documents/notes/
        com.example.notes/Documents/notes/DeletedClients/
        com.example.notes/Documents/notes/IntegrityKey/
        com.example.notes/Documents/notes/IntegrityKey/HASH.plain.CODE.founding
        com.example.notes/Documents/notes/RecentSyncs/
        com.example.notes/Documents/notes/RecentSyncs/AUTHOR.0000000001.0000000000.HASH.CODE.head
        com.example.notes/Documents/notes/SyncChanges/
        com.example.notes/Documents/notes/SyncChanges/AUTHOR/
        com.example.notes/Documents/notes/SyncChanges/AUTHOR/0000000001-HASH.set
        com.example.notes/Documents/notes/WholeStore/
        com.example.notes/Documents/notes/documentInfo.plist
        com.example.notes/Founding/
        com.example.notes/Founding/HASH.plain.CODE.founding
        com.example.notes/Information/
        com.example.notes/Information/DeletedDocuments/
        com.example.notes/ReadMe.txt
        """)
  }

  @Test func `a conflict is answered by whom the application asks`() async throws {
    try await registerBoth()
    try a.write("one", "old")
    try await a.sync(remote)
    try await b.sync(remote)
    try a.write("one", "by a")
    try b.write("one", "by b")
    try await a.sync(remote)

    let unanswered = await #expect(throws: SyncError.self) {
      try await b.sync(remote, SyncOptions(conflicts: .ask { _ in [:] }))
    }
    #expect(unanswered?.code == .conflictsUnresolved)
    #expect(try b.notes == ["one: by b"])

    let report = try await b.sync(
      remote,
      SyncOptions(
        conflicts: .ask { conflicts in Dictionary(uniqueKeysWithValues: conflicts.map { ($0.id, .remote) }) })
    )
    try await a.sync(remote)

    #expect(report.conflicts.count == 1)
    #expect(try b.notes == ["one: by a"])
    #expect(try a.notes == b.notes)
  }

  @Test func `a cancelled sync says so and loses nothing`() async throws {
    try await registerBoth()
    try a.write("one", "text")
    let task = Task {
      try? await Task.sleep(for: .seconds(3_600))
      return try await a.sync(remote)
    }
    task.cancel()
    let error = await #expect(throws: SyncError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try await a.sync(remote)
    try await b.sync(remote)
    #expect(try b.notes == ["one: text"])
  }
}
