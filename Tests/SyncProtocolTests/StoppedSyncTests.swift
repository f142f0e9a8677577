import BackendConformance
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

/// What stops a whole document, and what only looks so: a person asks the status, which makes no request.
@Suite struct StoppedSyncTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func hierarchy() async throws -> DocumentHierarchy {
    try await a.application(remote).hierarchy.document(#require(RemoteName("notes")))
  }

  private let day: UInt64 = 24 * 60 * 60 * 1_000

  @Test func `the status tells why nothing goes on now, until something does`() async throws {
    try await a.register(remote)
    try await a.sync(remote)
    #expect(try await a.status().failure == nil)
    let copy = remote.copy()
    try await remote.remove(try await hierarchy().application.root)

    for _ in 1...2 { await #expect(throws: SyncError.self) { try await a.sync(remote) } }
    let failure = try await a.status().failure
    #expect(failure?.code == .documentNotFound)
    #expect(failure?.message.contains("notes") == true)

    remote.setReachable(false)
    await #expect(throws: SyncError.self) { try await a.sync(remote) }
    let last = try await a.status().failure
    #expect(last?.code == .storage && last?.message != failure?.message)

    remote.setReachable(true)
    remote.restore(copy)
    try await a.sync(remote)
    #expect(try await a.status().failure == nil)
    // What passes by itself is told by nobody who was not stopped before.
    remote.setReachable(false)
    await #expect(throws: SyncError.self) { try await a.sync(remote) }
    #expect(try await a.status().failure == nil)
  }

  @Test func `what should pass by itself and does not is told, until it has passed`() async throws {
    try await a.register(remote)
    try await a.sync(remote)
    for _ in 1...2 {
      remote.setReachable(false)
      for number in 1...BlockedAuthor.patience {
        #expect(try await a.status().failure == nil, "\(number)")
        await #expect(throws: SyncError.self) { try await a.sync(remote) }
      }
      #expect(try await a.status().failure?.code == .storage)
      remote.setReachable(true)
      try await a.sync(remote)
    }
  }

  @Test func `the status tells that somebody has deleted the document`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await a.deleteDocument(remote)
    await #expect(throws: SyncError.self) { try await b.sync(remote) }
    #expect(try await b.status().failure?.code == .documentDeleted)
  }

  @Test func `a device is not warned of itself as of another`() async throws {
    for device in [a, b] { try await device.register(remote) }
    let before = remote.copy()
    try a.write("one", "text")
    try await a.sync(remote)
    remote.restore(before)
    let report = try await a.sync(remote)
    #expect(report.findings.contains(.ownRegressed(sent: 1, listed: 0)))
    let author = try a.author.description
    #expect(!report.findings.contains { report.sentence($0).contains(author) })
  }

  @Test func `who has joined and written nothing is known by name`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try await a.sync(remote)
    #expect(try await a.status().devices.map(\.name).contains("Device device-b"))
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test(arguments: [false, true])
  func `a file in place of a folder is one finding that names it, and changes travel`(
    encrypted: Bool
  ) async throws {
    let encryption: EncryptionChoice = encrypted ? .password("correct horse") : .none
    for device in [a, b] { try await device.register(remote, encryption) }
    for device in [a, b] { try await device.sync(remote) }
    let hierarchy = try await hierarchy()
    let folders =
      [hierarchy.application.information, hierarchy.application.deletedDocuments, hierarchy.integrityKey]
      + (encrypted ? [hierarchy.application.encryption] : []) + [hierarchy.application.founding]
    let whole = remote.copy()
    for (number, folder) in folders.enumerated() {
      remote.restore(whole)
      if folder == hierarchy.application.deletedDocuments {
        try? await remote.makeDirectory(hierarchy.application.information)
      }
      try? await remote.remove(folder)
      try await remote.upload([1], to: folder)
      // As file systems answer.
      let isAbove = folder == hierarchy.application.information
      remote.refuse(hierarchy.application.deletedDocuments, with: isAbove ? .notADirectory : nil)
      workplace.clock.advance(2 * day)
      for _ in 1...2 {
        let obstructions = try await a.sync(remote).findings.filter { $0 == .obstructed(folder) }
        #expect(obstructions.count == 1, "\(folder)")
      }
      #expect(try await a.status().obstructions.map(\.path) == [folder])
      try a.write("note \(number)", "text")
      for device in [a, b] { try await device.sync(remote) }
      #expect(try b.shows("note \(number)"), "\(folder)")

      remote.refuse(hierarchy.application.deletedDocuments, with: nil)
      try await remote.remove(folder)
      try await a.sync(remote)
      #expect(try await a.status().obstructions.isEmpty, "\(folder)")
    }
  }

  @Test(arguments: [false, true])
  func `a file in place of the folder of deleted documents keeps no newcomer out`(isAbove: Bool) async throws
  {
    try await a.register(remote)
    try a.write("one", "text")
    try await a.sync(remote)
    let application = try await hierarchy().application
    try? await remote.remove(application.information)
    if isAbove {
      try await remote.upload([1], to: application.information)
      // As file systems answer.
      remote.refuse(application.deletedDocuments, with: .notADirectory)
    } else {
      try await remote.makeDirectory(application.information)
      try await remote.upload([1], to: application.deletedDocuments)
    }

    try await b.register(remote)
    try await b.sync(remote)
    #expect(try b.shows("one"))

    workplace.clock.advance(2 * day)
    let report = try await b.sync(remote)
    #expect(
      report.findings == [.obstructed(isAbove ? application.information : application.deletedDocuments)])
  }

  @Test(arguments: [false, true])
  func `what lies where only this device writes is removed and told, and changes travel`(
    inPlaceOfHead: Bool
  ) async throws {
    for device in [a, b] { try await device.register(remote) }
    for device in [a, b] { try await device.sync(remote) }
    let hierarchy = try await hierarchy()
    try a.write("one", "text")
    let path: RemotePath
    if inPlaceOfHead {
      // Its name can be told only by who has seen it: here, by a copy of the storage.
      let before = remote.copy()
      let copy = try a.backUp()
      try await a.sync(before)
      let head = before.files.keys.compactMap { $0.name.flatMap { HeadName($0) } }.filter { $0.sequence == 1 }
      path = hierarchy.file(of: try #require(head.first))
      try a.restore(copy)
      try await remote.makeDirectory(path)
      try await remote.upload([1], to: path / #require(RemoteName("inside")))
    } else {
      path = hierarchy.changes(of: try a.author)
      try? await remote.remove(path)
      try await remote.upload([1], to: path)
    }

    let report = try await a.sync(remote)

    #expect(report.findings.contains(.cleared(path)))
    #expect(SyncFinding.cleared(path).description.contains("\(path)"))
    try await b.sync(remote)
    #expect(try b.shows("one"))
    #expect(try await a.sync(remote).findings == [])
  }

  @Test func `a registration that fails on this device leaves nobody whom others wait for`() async throws {
    try await a.register(remote)
    try await b.register(remote)
    try await b.manager(remote).withdraw()
    try await b.manager(remote).withdraw()
    try await a.sync(remote)
    #expect(try await a.status().devices.map(\.isThisDevice) == [true])
    let author = try b.author.description
    #expect(!remote.snapshot.contains(author) && !remote.snapshot.contains("device-b"))
  }

  @Test func `who has sent something is not withdrawn`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try b.write("one", "text")
    try await b.sync(remote)
    try await b.manager(remote).withdraw()
    try await a.sync(remote)
    #expect(try a.notes == ["one: text"])
    #expect(try await a.status().devices.count == 2)
  }
}
