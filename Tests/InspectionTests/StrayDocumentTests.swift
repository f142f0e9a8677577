import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import Testing

@testable import SyncProtocol

/// Parts of two documents that have been exchanged, and what is missing with a founding record: nothing of one document gets into another.
@Suite struct StrayDocumentTests {
  private func documents(_ remote: SampleRemote) -> URL { remote.remote.appending(path: "sample/Documents") }

  private func exchange(_ one: String, _ other: String, _ remote: SampleRemote) throws {
    let (first, second) = (documents(remote).appending(path: one), documents(remote).appending(path: other))
    let third = documents(remote).appending(path: "third")
    for (from, to) in [(first, third), (second, first), (third, second)] {
      try FileManager.default.moveItem(at: from, to: to)
    }
  }

  /// A remote with a second document, which has a set and a whole store of its own.
  private func remote(encrypted: Bool) async throws -> (remote: SampleRemote, work: SampleRemote.Device) {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.uploadWholeStore()
    let work = try await remote.device("first", in: "work", of: "work")
    try await work.push("work")
    _ = try await work.document.uploadStore()
    return (remote, work)
  }

  @Test(arguments: ["RecentSyncs", "SyncChanges", "WholeStore", "IntegrityKey"], [true, false])
  func
    `parts of two documents that have been exchanged are told as such, and nothing is done before they are right`(
      part: String, encrypted: Bool
    ) async throws
  {
    let (remote, _) = try await remote(encrypted: encrypted)
    try exchange("things/\(part)", "work/\(part)", remote)

    let verification = try await remote.inspector.verify()

    #expect(verification.findings.map(\.code) == [.folderMoved, .folderMoved], "\(verification.findings)")
    for (finding, (one, other)) in zip(verification.findings, [("things", "work"), ("work", "things")]) {
      #expect(finding.path == "sample/Documents/\(one)/\(part)")
      #expect(finding.next.contains("“sample/Documents/\(other)/\(part)”"), "\(finding.next)")
    }
    #expect(try await remote.inspector.planRepair().actions.isEmpty)
    try exchange("things/\(part)", "work/\(part)", remote)
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }

  @Test(arguments: [true, false], [true, false])
  func `no object of another document appears after a repair and synchronisations`(
    isWhole: Bool, encrypted: Bool
  ) async throws {
    let (remote, work) = try await remote(encrypted: encrypted)
    let first = try await remote.device("first")
    let (things, own) = (try first.names(), try work.names())
    if isWhole {
      try exchange("things/SyncChanges", "work/SyncChanges", remote)
    } else {
      let sets = try remote.sets()
      let author = try #require(sets.first).deletingLastPathComponent().lastPathComponent
      let folder = documents(remote).appending(path: "work/SyncChanges")
      let other = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
      try FileManager.default.moveItem(
        at: documents(remote).appending(path: "things/SyncChanges/\(author)"),
        to: folder.appending(path: author))
      try FileManager.default.moveItem(
        at: folder.appending(path: other),
        to: documents(remote).appending(path: "things/SyncChanges/\(other)"))
    }

    let plan = try await remote.inspector.planRepair()
    #expect(!plan.asksDevices, "\(plan.actions)")
    let damaged = try remote.contents()
    let repair = try await remote.apply(plan)
    if !isWhole {
      let verification = try await remote.inspector.verify()
      #expect(verification.outcome == .healthy, "\(verification.findings)")
      #expect(try await repair.undo() == [])
      #expect(try remote.contents() == damaged)
      _ = try await remote.repair()
    }
    for _ in 0..<3 {
      for device in [first, work] { _ = try? await device.document.synchronize() }
    }

    #expect(try first.names() == things)
    #expect(try work.names() == own)
  }

  @Test(arguments: [true, false])
  func
    `sets of an author whose folder was moved to another document are moved back, and none is called damaged`(
      encrypted: Bool
    ) async throws
  {
    let (remote, _) = try await remote(encrypted: encrypted)
    let before = try remote.contents()
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let stray = documents(remote).appending(path: "work/SyncChanges/\(folder.lastPathComponent)")
    try FileManager.default.moveItem(at: folder, to: stray)

    let verification = try await remote.inspector.verify()
    let plan = try await remote.inspector.planRepair()
    try await remote.apply(plan)

    let told = verification.findings.filter { $0.path.contains("work/") }
    #expect(told.map(\.code) == [.missingHead], "\(told)")
    #expect(!plan.asksDevices, "\(plan.actions)")
    let repaired = try await remote.inspector.verify()
    #expect(repaired.outcome == .healthy, "\(plan.actions) \(repaired.findings)")
    try FileManager.default.removeItem(at: stray)
    #expect(try remote.contents() == before)
  }

  @Test(arguments: [true, false])
  func `sets that lie under the names of authors of another document are moved to their own`(
    encrypted: Bool
  ) async throws {
    let (remote, _) = try await remote(encrypted: encrypted)
    let before = try remote.contents()
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let changes = documents(remote).appending(path: "work/SyncChanges")
    let other = try #require(try FileManager.default.contentsOfDirectory(atPath: changes.path).first)
    try exchange("things/SyncChanges/\(folder.lastPathComponent)", "work/SyncChanges/\(other)", remote)

    let plan = try await remote.inspector.planRepair()
    try await remote.apply(plan)

    #expect(!plan.asksDevices, "\(plan.actions)")
    #expect(try remote.contents() == before)
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }

  @Test(arguments: [true, false])
  func `a set in whose place one of another document was put is asked for, and that one moved to its own`(
    encrypted: Bool
  ) async throws {
    let (remote, _) = try await remote(encrypted: encrypted)
    let set = try #require(try remote.sets().last)
    let changes = documents(remote).appending(path: "work/SyncChanges")
    let author = try #require(try FileManager.default.contentsOfDirectory(atPath: changes.path).first)
    let folder = changes.appending(path: author)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    let other = folder.appending(path: name)
    try FileManager.default.removeItem(at: set)
    try FileManager.default.moveItem(at: other, to: set)

    let plan = try await remote.inspector.planRepair()
    try await remote.apply(plan)

    #expect(plan.asksDevices, "\(plan.actions)")
    #expect(FileManager.default.fileExists(atPath: other.path))
    #expect(!FileManager.default.fileExists(atPath: set.path))
  }

  @Test(arguments: [true, false])
  func `a damaged set in the folder of an author that was moved is not copied back, but told of`(
    encrypted: Bool
  ) async throws {
    let (remote, _) = try await remote(encrypted: encrypted)
    let set = try #require(try remote.sets().first)
    let folder = set.deletingLastPathComponent()
    try remote.flip(set)
    let stray = documents(remote).appending(path: "work/SyncChanges/\(folder.lastPathComponent)")
    try FileManager.default.moveItem(at: folder, to: stray)

    let findings = try await remote.inspector.verify().findings
    let plan = try await remote.inspector.planRepair()

    let path = "sample/Documents/work/SyncChanges/\(folder.lastPathComponent)/\(set.lastPathComponent)"
    #expect(findings.filter { $0.path == path }.map(\.code) == [.damagedFile], "\(findings)")
    #expect(!plan.actions.contains { $0.path.name?.description == set.lastPathComponent }, "\(plan.actions)")
    #expect(plan.asksDevices)
  }

  @Test(arguments: [true, false])
  func `a set of somebody else among those of an author is told of, and not as an interrupted sync`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let other = try #require(
      try remote.files(in: "SyncChanges", suffix: ".set").first {
        $0.deletingLastPathComponent().path != folder.path
      })
    let name = "0000000009" + other.lastPathComponent.dropFirst(10)
    try FileManager.default.copyItem(at: other, to: folder.appending(path: name))

    let findings = try await remote.inspector.verify().findings

    #expect(findings.contains { $0.path.hasSuffix(name) && $0.severity == .error }, "\(findings)")
    #expect(!findings.contains { $0.code == .unpublishedSets }, "\(findings)")
  }

  @Test(arguments: [true, false])
  func `of a document that was moved into itself, or is lost but for its name, no state is given as whole`(
    isMoved: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: false)
    let (place, aside) = (
      documents(remote).appending(path: "things"), remote.folder.url.appending(path: "aside")
    )
    try FileManager.default.moveItem(at: place, to: aside)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    if isMoved { try FileManager.default.moveItem(at: aside, to: place.appending(path: "things")) }

    let state = try await remote.inspector.state(of: "things")

    #expect(state.omissions.contains { $0.contains("“IntegrityKey”") }, "\(state.omissions)")
    withExtendedLifetime(state) {}
  }

  @Test func `without its founding record a set is not called encrypted, as if the password were missing`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    for record in try remote.files(in: "IntegrityKey") { try FileManager.default.removeItem(at: record) }

    var failures: Set<String> = []
    try await remote.inspector.forEachSet { set in
      if case .failure(let failure) = set.result { failures.insert(failure.description) }
    }

    #expect(failures.count == 1 && failures.allSatisfy { $0.contains("founding record") }, "\(failures)")
  }

  @Test(arguments: [true, false])
  func `a state leaves out authors whom another document names, and says so`(encrypted: Bool) async throws {
    let (remote, _) = try await remote(encrypted: encrypted)
    let folder = documents(remote).appending(path: "work/SyncChanges")
    let author = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    try FileManager.default.copyItem(
      at: folder.appending(path: author),
      to: documents(remote).appending(path: "things/SyncChanges/\(author)"))

    let state = try await remote.inspector.state(of: "things")

    #expect(state.omissions.contains { $0.contains("belong in the document “work”") }, "\(state.omissions)")
    #expect(try state.store().objectCounts().reduce(0, +) == 4)
    var found: Set<String> = []
    try await remote.inspector.forEachSet { set in
      if set.author.description == author { found.insert(set.document) }
    }
    #expect(found == ["work"])
    withExtendedLifetime(state) {}
  }

  @Test(arguments: [true, false])
  func `of documents whose names were exchanged none is shown as the other`(encrypted: Bool) async throws {
    let (remote, _) = try await remote(encrypted: encrypted)
    try exchange("things", "work", remote)

    for name in ["things", "work"] {
      do {
        _ = try await remote.inspector.state(of: name)
        Issue.record("a state was made of the folder \(name)")
      } catch InspectionError.noState(let reason) {
        #expect(reason.contains("holds what was founded as"))
      }
    }
    await #expect(throws: InspectionError.self) {
      _ = try await remote.inspector.history(of: "any", in: "things")
    }
    var counts: [String: Int] = [:]
    try await remote.inspector.forEachSet { counts[$0.document, default: 0] += 1 }
    #expect(counts == ["things": 4, "work": 1])
  }

  @Test(arguments: [true, false])
  func `sets that a copy of a document's folder has, too, are told once, and those that it alone has besides`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let document = documents(remote).appending(path: "things")
    try FileManager.default.copyItem(at: document, to: documents(remote).appending(path: "things-copy"))
    func places() async throws -> [String: [String]] {
      var places: [String: [String]] = [:]
      try await remote.inspector.forEachSet { set in
        places["\(set.path.names[5])", default: []].append(set.path.names[2].description)
      }
      return places
    }
    #expect(try await places().values.sorted { $0[0] < $1[0] } == Array(repeating: ["things"], count: 4))

    let set = try #require(try remote.sets().first)
    try FileManager.default.removeItem(at: set)

    #expect(try await places()[set.lastPathComponent] == ["things-copy"])
    #expect(try await places().count == 4)
  }

  @Test(arguments: [true, false])
  func `where the founding record is lost nothing else is told to be`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.vacuum()
    for record in try remote.files(in: "IntegrityKey") { try FileManager.default.removeItem(at: record) }

    let verification = try await remote.inspector.verify()

    let codes = Set(verification.findings.map(\.code))
    #expect(codes.isDisjoint(with: [.gap, .missingHead]), "\(verification.findings)")
    let founding = try #require(verification.findings.first { $0.code == .foundingMissing })
    #expect(founding.message.contains("heads, floors and whole stores"))
    let notes = try await remote.inspector.planRepair().notes
    #expect(notes.contains { $0.contains("until its founding record is back") }, "\(notes)")
    do {
      let state = try await remote.inspector.state()
      #expect(state.omissions.contains { $0.contains("nothing tells") }, "\(state.omissions)")
    } catch InspectionError.noState(let reason) {
      #expect(reason.contains("founding record"))
    }
  }

  @Test func `a founding record that lies among notes of removed devices is told to be there`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let things = documents(remote).appending(path: "things")
    try? FileManager.default.removeItem(at: things.appending(path: "DeletedClients"))
    try FileManager.default.moveItem(
      at: things.appending(path: "IntegrityKey"), to: things.appending(path: "DeletedClients"))

    let finding = try #require(
      try await remote.inspector.verify().findings.first { $0.code == .folderMoved })

    #expect(finding.path.hasSuffix("DeletedClients") && finding.next.contains("“IntegrityKey”"), "\(finding)")
  }

  @Test func `a record without a key in an encrypted application is told to be another's`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let other = try await SampleRemote(encrypted: false)
    let record = try #require(
      try FileManager.default.contentsOfDirectory(
        at: other.remote.appending(path: "sample/Founding"), includingPropertiesForKeys: nil
      ).first)
    try FileManager.default.copyItem(
      at: record, to: remote.remote.appending(path: "sample/Founding/\(record.lastPathComponent)"))

    let findings = try await remote.inspector.verify().findings.filter { $0.code == .rivalFoundings }

    #expect(findings.map(\.path) == ["sample/Founding/\(record.lastPathComponent)"])
    #expect(findings.first?.next.contains("move it away") == true)
  }

  @Test(arguments: [true, false])
  func `a long value that is missing is named as its file`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 40_000))
    let file = try #require(try remote.files(in: "LongValues").first)
    try FileManager.default.removeItem(at: file)

    let finding = try #require(
      try await remote.inspector.verify().findings.first { $0.code == .missingValue })

    #expect(finding.message.contains(file.lastPathComponent), "\(finding.message)")
  }

  @Test func `of invented heads with thousands of authors no more are told than a person reads`() async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let record = try #require(try remote.files(in: "IntegrityKey", suffix: ".founding").first)
    let founding = try #require(RemoteName(record.lastPathComponent).flatMap { FoundingName($0) })
    let (one, two) = (try #require(RemoteName("sample")), try #require(RemoteName("things")))
    let hierarchy = ApplicationHierarchy(application: one).document(two)
    let protection = try DocumentProtection(keys: nil, hierarchy: hierarchy, own: founding.integrityKey)
    for number in 1...3 as ClosedRange<UInt64> {
      var vector = VersionVector()
      for author in 0..<2_000 as Range<UInt64> { vector[AuthorID(bits: number << 40 | author)] = 5 }
      let name = protection.head(author: AuthorID(bits: number), sequence: 0, seen: vector.total, hash: nil)
      let head = Head(name: name, client: "c", clientDescription: "d", vector: vector, time: 1)
      let place = remote.remote.appending(path: hierarchy.file(of: name).description)
      try Data(HeadCodec.encode(head)).write(to: place)
    }

    let missing = try await remote.inspector.verify().findings.filter { $0.code == .missingSet }

    #expect(missing.count < 1_100, "\(missing.count)")
    #expect(missing.contains { $0.message.contains("not told one by one") })
  }
}
