import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What becomes of devices whose document somebody deletes.
@Suite struct DocumentDeletionTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private let document = DocumentHierarchy.notes

  private func share(_ encryption: EncryptionChoice = .none) async throws {
    try await a.register(remote, encryption)
    try a.write("one", "by a")
    try await a.sync(remote)
    try await b.register(remote, encryption)
    try await b.sync(remote)
    try b.write("two", "by b")
    try await b.sync(remote)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `nothing is left but a note of it, and the others are told by whom`(_ encryption: EncryptionChoice)
    async throws
  {
    try await share(encryption)
    try b.write("three", "not pushed")
    try await a.deleteDocument(remote)
    #expect(!remote.contains(below: document.root))
    #expect(remote.paths { DeletionName($0) }.count == 1)

    let error = await failure { try await b.sync(remote) }
    #expect(error?.code == .documentDeleted)
    #expect(error?.message.contains("Device device-a") == true)
    #expect(try b.notes == ["one: by a", "three: not pushed", "two: by b"])
    #expect(!remote.contains(below: document.root))
  }

  @Test func `whoever deleted it is told as well`() async throws {
    try await share()
    try await a.deleteDocument(remote)
    #expect(await failure { try await a.sync(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.register(remote) }?.code == .documentDeleted)
    #expect(await failure { try await a.refill(remote) }?.code == .documentDeleted)
  }

  @Test func `another document may have the name, and gets nothing of the former one`() async throws {
    try await share()
    try await a.deleteDocument(remote)
    let c = Device("device-c", in: workplace)
    try await c.register(remote)
    try c.write("anew", "by c")
    try await c.sync(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    try await c.sync(remote)
    #expect(try c.notes == ["anew: by c"])
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `a deletion that is interrupted is completed by the next one, and nobody puts anything back`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    try await share()
    let complete = remote.files
    var requests = 0
    while true {
      let remote = MemoryBackend()
      for (path, bytes) in complete { try await remote.place(bytes, at: path) }
      let faulty = FaultyBackend(remote, after: requests, fault)
      let outcome = await failure { try await a.deleteDocument(faulty) }
      guard faulty.hasFailed else { break }
      #expect(outcome == nil || outcome?.code == .storage)
      let isDeleted = !remote.paths { DeletionName($0) }.isEmpty
      let c = Device("device-c-\(requests)", in: workplace)
      if isDeleted {
        let founded = remote.paths { FoundingName($0) }
        #expect(await failure { try await c.register(remote, mayCreate: false) } != nil, "after \(requests)")
        #expect(remote.paths { FoundingName($0) } == founded)
      }
      try await a.deleteDocument(remote)
      #expect(!remote.contains(below: document.root), "after \(requests)")
      requests += 1
    }
    #expect(requests > 6)
  }

  @Test func `what storage delivers late of a deleted document is joined by nobody`() async throws {
    try await share()
    let files = remote.files
    try await a.deleteDocument(remote)
    for (path, bytes) in files where path.names.starts(with: document.root.names) {
      try await remote.place(bytes, at: path)
    }
    let c = Device("device-c", in: workplace)
    #expect(await failure { try await c.register(remote, mayCreate: false) }?.code == .notDelivered)
    #expect(await failure { try await b.register(remote) }?.code == .documentDeleted)
    try await a.deleteDocument(remote)
    #expect(!remote.contains(below: document.root))
  }

  @Test func `a note of a deletion that nobody with the key has written is ignored`() async throws {
    try await share(.password("pass"))
    let founding = try #require(
      remote.paths { FoundingName($0) }.first { $0.names.starts(with: document.root.names) }?.name)
    let key = try #require(FoundingName(founding)).integrityKey
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    try await remote.upload([], to: document.application.file(of: DeletionName(key, code: code)))
    for path in remote.paths({ HeadName($0) }) { try await remote.remove(path) }
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes == ["one: by a", "two: by b"])
  }
}

extension MemoryBackend {
  /// Writes a file and the folders that it needs.
  fileprivate func place(_ bytes: [UInt8], at path: RemotePath) async throws {
    for count in 1..<path.names.count {
      try await makeDirectory(RemotePath(Array(path.names.prefix(count))))
    }
    try await upload(bytes, to: path)
  }
}
