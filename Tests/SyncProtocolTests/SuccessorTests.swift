import BackendConformance
import ChangeTracking
import Inspection
import ObjectStore
import Testing

@testable import SyncProtocol

/// A document under the name of a deleted one, whose files storage puts back beside it.
@Suite struct SuccessorTests {
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

  /// Another document under the name of a deleted one, of which storage puts everything back.
  private func succeed(_ encryption: EncryptionChoice) async throws -> (founder: Device, newcomer: Device) {
    try await remote.share(a, b, encryption)
    let former = remote.files
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try founder.write("three", "of the successor")
    try await founder.sync(remote)
    try await remote.putBack(former, of: document)
    try await newcomer.register(remote, encryption)
    return (founder, newcomer)
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `what comes back of a deleted document is nobody's in its successor, not a newcomer's either`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    for _ in 0..<3 { for device in [newcomer, founder] { try await device.sync(remote) } }
    #expect(try newcomer.notes == ["three: of the successor"])
    #expect(try founder.notes == ["three: of the successor"])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `each device says whose it is, and calls on nobody else, until it is deleted once more`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    let former = Set(try [a, b].map { try $0.author })
    for device in [newcomer, founder, newcomer, founder] {
      let report = try await device.sync(remote)
      guard report.findings.count == 1, case .headsOfDeleted(2, let first) = report.findings.first else {
        Issue.record("\(report.findings)")
        continue
      }
      #expect(RemoteName(first).flatMap { HeadName($0) }.map { former.contains($0.author) } == true)
      #expect(try await device.status().separations == report.findings)
    }

    try await a.deleteDocument(remote)

    for device in [newcomer, founder] {
      #expect(try await device.sync(remote).findings.isEmpty)
      #expect(try await device.status().separations.isEmpty)
    }
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `what comes back of a deleted document keeps no vacuum of its successor back`(
    _ encryption: EncryptionChoice
  ) async throws {
    let (founder, newcomer) = try await succeed(encryption)
    try founder.write("four", "of the successor")
    for device in [founder, newcomer, founder] { try await device.sync(remote) }
    try await founder.uploadStore(remote)

    let vacuum = try await founder.vacuum(remote, grace: 0)

    #expect(vacuum.plan.obstacle == nil)
    #expect(vacuum.plan.sets.map(\.author) == [try founder.author])
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `deleted once more beside its successor, nothing of it is left`(_ encryption: EncryptionChoice)
    async throws
  {
    try await remote.share(a, b, encryption)
    let c = Device("device-c", in: workplace)
    try await c.register(remote, encryption)
    b.rename("another name")
    for device in [c, a, b, a] { try await device.sync(remote) }
    try await a.remove(c, remote)
    for text in ["three", "four"] {
      try a.write(text, "by a")
      for device in [a, b, a] { try await device.sync(remote) }
    }
    try await a.uploadStore(remote)
    try await a.vacuum(remote, grace: 0)
    let former = remote.files
    for isThere in [
      remote.paths { RenamingName($0) }, remote.paths { RemovalName($0) }, remote.paths { HistoryFloor($0) },
    ] { try #require(!isThere.isEmpty) }
    try await a.deleteDocument(remote)
    let founder = Device("founder", in: workplace)
    try await founder.register(remote, encryption)
    try await founder.sync(remote)
    let successor = Set(remote.files.keys)
    try await remote.putBack(former, of: document)

    try await a.deleteDocument(remote)

    #expect(Set(remote.files.keys).subtracting(successor).isEmpty)
    #expect(Set(remote.files.keys).isSuperset(of: successor))
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `an author whose head does not come back is known by what else names it`(
    _ encryption: EncryptionChoice
  )
    async throws
  {
    try await remote.share(a, b, encryption)
    b.rename("another name")
    for device in [b, a] { try await device.sync(remote) }
    let author = try b.author
    let former = remote.files.filter { $0.key.name.flatMap { HeadName($0) }?.author != author }
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try await remote.putBack(former, of: document)
    try await newcomer.register(remote, encryption)

    let report = try await newcomer.sync(remote)

    #expect(try newcomer.notes.isEmpty)
    #expect(report.findings.count == 1, "\(report.findings)")
  }

  @Test(arguments: [EncryptionChoice.none, .password("pass")])
  func `sets alone tell that they are of the deleted document, and go with it`(_ encryption: EncryptionChoice)
    async throws
  {
    try await remote.share(a, b, encryption)
    let former = remote.files.filter { $0.key.names.starts(with: document.syncChanges.names) }
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try founder.write("three", "of the successor")
    try await founder.sync(remote)
    let successor = Set(remote.files.keys)
    try await remote.putBack(former, of: document)
    try await newcomer.register(remote, encryption)

    for device in [newcomer, founder, newcomer] { #expect(try await device.sync(remote).findings.isEmpty) }
    try await a.deleteDocument(remote)

    #expect(try newcomer.notes == ["three: of the successor"])
    #expect(try founder.notes == ["three: of the successor"])
    #expect(Set(remote.files.keys).isDisjoint(with: former.keys))
    #expect(Set(remote.files.keys).isSuperset(of: successor))
  }

  @Test(arguments: [true, false])
  func `a description that nobody can open is written anew within a day`(isOfDeleted: Bool) async throws {
    try await remote.share(a, b, .password("pass"))
    let former = try #require(remote.files[document.information])
    try await a.deleteDocument(remote)
    let founder = Device("founder", in: workplace)
    try await founder.register(remote, .password("pass"))
    try await founder.sync(remote)
    let own = try #require(remote.files[document.information])
    var damaged = own
    damaged[own.count - 1] ^= 1
    try await remote.upload(isOfDeleted ? former : damaged, to: document.information)

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await founder.sync(remote)

    #expect(remote.files[document.information] == own)
  }

  @Test func `without encryption nothing is of a deleted document once the note of that is gone`()
    async throws
  {
    let (founder, newcomer) = try await succeed(.none)
    for device in [newcomer, founder] { try await device.sync(remote) }
    for path in remote.paths({ DeletionName($0) }) { try await remote.remove(path) }
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    let findings = try await founder.sync(remote).findings

    #expect(!findings.contains { if case .headsOfDeleted = $0 { true } else { false } }, "\(findings)")
  }

  @Test func `a forged name beside a deleted document's is still told apart from that`() async throws {
    let (founder, newcomer) = try await succeed(.none)
    try await newcomer.sync(remote)
    let forged = HeadName(author: try a.author, sequence: 9, seen: 0, hash: ContentHash(of: [1]))
    try await remote.place([1], at: document.recentSyncs / forged.name)

    let findings = try await founder.sync(remote).findings

    #expect(findings.contains(.unverifiedHeads(count: 1, first: forged.name.description)))
    #expect(findings.contains { if case .headsOfDeleted(2, _) = $0 { true } else { false } })
    #expect(Set(try await founder.status().separations) == Set(findings))
  }

  /// The folders of a document of which storage brings some back.
  private static let parts: [Set<String>] = {
    let folders = ["SyncChanges", "RecentSyncs", "IntegrityKey", "WholeStore"]
    return (1..<16).map { bits in Set(folders.indices.filter { bits & 1 << $0 != 0 }.map { folders[$0] }) }
  }()

  @Test(arguments: [EncryptionChoice.none, .password("pass")], parts)
  func `whatever comes back of it, no device and no inspector takes it for a part of its successor`(
    _ encryption: EncryptionChoice, _ parts: Set<String>
  ) async throws {
    try await remote.share(a, b, encryption)
    try await a.sync(remote)
    try await a.uploadStore(remote)
    let former = remote.files.filter { path, _ in
      path.names.count > document.root.names.count
        && parts.contains(path.names[document.root.names.count].description)
    }
    try await a.deleteDocument(remote)
    let (founder, newcomer) = (Device("founder", in: workplace), Device("newcomer", in: workplace))
    try await founder.register(remote, encryption)
    try founder.write("three", "of the successor")
    try await founder.sync(remote)
    let successor = Set(remote.files.keys)
    try await remote.putBack(former, of: document)
    let password: String? = if case .password(let text) = encryption { text } else { nil }
    let inspector = RemoteInspector(backend: remote, password: password)

    let codes = Set(try await inspector.verify().findings.map(\.code))
    let plan = try await inspector.planRepair()
    var shown: [AttributeValue] = []
    try await inspector.state().objects().forEach { object in shown += object.attributes.map(\.value) }
    try await newcomer.register(remote, encryption)
    for device in [founder, newcomer, founder] { try await device.sync(remote) }
    try await a.deleteDocument(remote)

    #expect(!codes.isEmpty && codes.isSubset(of: [.deletedDocumentLeft, .notAuthentic]), "\(codes)")
    #expect(plan.actions.allSatisfy { $0.change == .putAside && former[$0.path] != nil }, "\(plan.actions)")
    #expect(shown.contains(.string("of the successor")) && !shown.contains(.string("by a")))
    for device in [founder, newcomer] { #expect(try device.notes == ["three: of the successor"]) }
    #expect(Set(remote.files.keys).isDisjoint(with: former.keys))
    #expect(Set(remote.files.keys).isSuperset(of: successor))
  }
}
