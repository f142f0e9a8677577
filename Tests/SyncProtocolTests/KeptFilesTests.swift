import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Files that belong to everybody are put back by whoever keeps a copy.
@Suite struct KeptFilesTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private let document = DocumentHierarchy.notes

  /// a and b are registered; a has pushed a note, which b has merged.
  private func share(_ encryption: EncryptionChoice = .none) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    try a.write("note 1", "text")
    for device in [a, b] { try await device.sync(remote) }
  }

  /// c joins with the password.
  private func join() async throws {
    try await c.register(remote, .password("pass"))
    try await c.sync(remote)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `a founding record that is lost is put back also by who has joined by its name alone`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await a.register(remote, encryption)
    try a.write("note 1", "text")
    try await a.sync(remote)
    let record = try #require(remote.files.keys.first { $0.parent == document.integrityKey })
    try await remote.upload([0], to: record)
    try await b.register(remote, encryption)
    try await b.sync(remote)
    try await remote.remove(record)

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    let report = try await b.sync(remote)

    #expect(report.findings.contains(.putBack(paths: [record.description])), "\(report.findings)")
    try await c.register(remote, encryption)
    try await c.sync(remote)
    #expect(try c.notes == ["note 1: text"])
    // Who knows what it says completes it.
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await a.sync(remote)
    #expect(remote.files[record]?.isEmpty == false)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")], [true, false])
  func
    `who has joined by its name alone puts a lost founding record back when registering, or looking for its own head`(
      _ encryption: EncryptionChoice, isRegistering: Bool
    ) async throws
  {
    try await a.register(remote, encryption)
    try await a.sync(remote)
    let record = try #require(remote.files.keys.first { $0.parent == document.integrityKey })
    try await remote.upload([0], to: record)
    try await b.register(remote, encryption)
    try b.write("note 1", "text")
    try await b.sync(remote)
    try await remote.remove(record)

    if isRegistering {
      try await b.register(remote, encryption)
    } else {
      let author = try b.author
      for head in remote.files.keys where head.name.flatMap({ HeadName($0) })?.author == author {
        try await remote.remove(head)
      }
      let report = try await b.sync(remote)
      #expect(report.findings.contains(.foundingRestored), "\(report.findings)")
    }

    #expect(remote.files[record] != nil)
    try await c.register(remote, encryption)
    try await c.sync(remote)
    #expect(try c.notes == ["note 1: text"])
  }

  @Test func `folders, keys and descriptions that a rollback took along are put back`() async throws {
    try await share(.password("pass"))
    let keys = remote.files.keys.filter { $0.name.flatMap { KeyFileName($0) } != nil }
    for head in remote.files.keys.filter({ $0.name.flatMap { HeadName($0) } != nil }) {
      try await remote.remove(head)
    }
    for path in keys + [document.information, document.integrityKey, document.application.readMe] {
      try await remote.remove(path)
    }
    let report = try await a.sync(remote)
    #expect(report.findings.contains { if case .putBack = $0 { true } else { false } })
    try await join()
    #expect(try c.notes == a.notes)
  }

  @Test(arguments: [false, true])
  func `who has founded puts back its key, though no listing showed it then`(_ isLost: Bool) async throws {
    try await a.register(LateNewcomers(remote, in: document.application), .password("pass"))
    let isFounding = { (path: RemotePath) in
      path.name.map { KeyFileName($0) != nil || FoundingName($0) != nil } ?? false
    }
    for path in remote.files.keys where isFounding(path) {
      if isLost { try await remote.remove(path) } else { remote.tamper(path) { $0 = Array($0.prefix(29)) } }
    }
    try await a.sync(remote)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try a.write("note", "text")
    try await a.sync(remote)

    try await join()

    #expect(try c.notes == a.notes)
  }

  @Test(arguments: [false, true], [nil, 0, 1, 100])
  func `a description that storage lost, emptied or cut off is written again within a day`(
    _ isEncrypted: Bool, _ left: Int?
  ) async throws {
    try await share(isEncrypted ? .password("pass") : .none)
    let bytes = try #require(remote.files[document.information])
    if let left {
      remote.tamper(document.information) { $0 = Array($0.prefix(left)) }
    } else {
      try await remote.remove(document.information)
    }
    try await a.sync(remote)
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    let report = try await a.sync(remote)

    #expect(remote.files[document.information] == bytes)
    #expect(report.findings == [.putBack(paths: [document.information.description])])
  }

  @Test func `who writes a description that was lost names the founder, not himself`() async throws {
    try await share()
    try await remote.remove(document.information)

    let registration = try await c.register(remote)

    #expect(registration.information.originalClient == "device-a")
    let written = try DocumentInformation(#require(remote.files[document.information]))
    #expect(written.originalClient == "device-a")
  }
}

/// Storage whose listings of an application's records and keys show nothing that has come since it was opened.
private struct LateNewcomers: ForwardingBackend {
  let backend: any SyncBackend
  let late: [RemotePath]

  init(_ backend: any SyncBackend, in hierarchy: ApplicationHierarchy) {
    self.backend = backend
    late = [hierarchy.founding, hierarchy.encryption]
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    late.contains(folder) ? RemoteListing() : try await backend.list(folder)
  }
}
