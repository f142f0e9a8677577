import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// Folders of sets of another remote were copied in, or sets are left that nobody names and that cannot be used.
@Suite struct StraySetsTests {
  private func copySets(
    of other: SampleRemote, into remote: SampleRemote, _ isMeant: (URL) -> Bool = { _ in true }
  )
    throws
  {
    let place = remote.remote.appending(path: "sample/Documents/things/SyncChanges")
    let folders = Set(
      try other.files(in: "SyncChanges", suffix: ".set").map { $0.deletingLastPathComponent() })
    for folder in folders where isMeant(folder) {
      try FileManager.default.copyItem(at: folder, to: place.appending(path: folder.lastPathComponent))
    }
  }

  private func mentions(_ plan: RepairPlan) -> [RemotePath] {
    plan.actions.map(\.path).filter { "\($0)".hasSuffix(".mention") }
  }

  /// Two devices go on.
  private func goOn(_ remote: SampleRemote) async throws {
    let devices = [try await remote.device("first"), try await remote.device("second")]
    try await devices[0].push("five")
    _ = try await devices[1].document.synchronize()
    for device in devices {
      let names = try device.names()
      #expect(names == ["five", "four", "one", "three", "two"])
    }
  }

  @Test func `an author of another document of the application is named in none but his own`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let other = try await remote.device("fourth", in: "other", of: "others")
    try await other.push("another")
    let folder = try #require(try remote.sets().first).deletingLastPathComponent()
    let place = "sample/Documents/others/SyncChanges/\(folder.lastPathComponent)"
    try FileManager.default.copyItem(at: folder, to: remote.remote.appending(path: place))

    let told = try await remote.inspector.verify().findings.first { $0.path == place }
    let plan = try await remote.inspector.planRepair()

    #expect(told?.code == .missingHead && told?.next.contains("Documents/things/SyncChanges") == true)
    #expect(mentions(plan).isEmpty)
    try await remote.repair()
    #expect(try await remote.inspector.verify().outcome == .healthy)
    _ = try await other.document.synchronize()
    #expect(try other.names() == ["another"])
  }

  @Test(arguments: [true, false])
  func `a folder of sets that was moved into another document together with a set of that one is sorted out`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let other = try await remote.device("fourth", in: "other", of: "others")
    try await other.push("another")
    try await other.push("one more")
    let before = try remote.contents()
    let files = FileManager.default
    let others = remote.remote.appending(path: "sample/Documents/others/SyncChanges")
    let author = try #require(files.contentsOfDirectory(at: others, includingPropertiesForKeys: nil).first)
    let set = try #require(try remote.sets().last)
    try files.moveItem(at: set, to: author.appending(path: set.lastPathComponent))
    try files.moveItem(
      at: author,
      to: remote.remote.appending(
        path: "sample/Documents/things/SyncChanges/\(author.lastPathComponent)"))

    for _ in 0..<2 { try await remote.repair() }

    let after = try remote.contents()
    #expect(before.keys.filter { after[$0] == nil && $0.hasSuffix(".set") } == [])
    #expect(try await remote.inspector.verify().findings.filter { $0.severity == .error } == [])
    _ = try await other.document.synchronize()
    try await goOn(remote)
  }

  @Test(arguments: [true, false])
  func `a set of another document is left where it lies until the record of that one is back`(encrypted: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: encrypted)
    let other = try await remote.device("fourth", in: "other", of: "others")
    try await other.push("another")
    let files = FileManager.default
    let others = remote.remote.appending(path: "sample/Documents/others")
    func only(_ folder: URL) throws -> URL {
      try #require(files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).first)
    }
    let author = try only(others.appending(path: "SyncChanges"))
    let set = try only(author)
    let astray = remote.remote.appending(
      path: "sample/Documents/things/SyncChanges/\(author.lastPathComponent)")
    try files.createDirectory(at: astray, withIntermediateDirectories: true)
    try files.moveItem(at: set, to: astray.appending(path: set.lastPathComponent))
    let record = try only(others.appending(path: "IntegrityKey"))
    let kept = try Data(contentsOf: record)
    try files.removeItem(at: record)

    try await remote.repair()
    #expect(files.fileExists(atPath: astray.appending(path: set.lastPathComponent).path))
    try kept.write(to: record)
    try await remote.repair()

    #expect(files.fileExists(atPath: set.path))
    #expect(try await remote.inspector.verify().outcome == .healthy)
    let newcomer = try await remote.device("fifth", in: "fifth", of: "others")
    _ = try await newcomer.document.synchronize()
    #expect(try newcomer.names() == ["another"])
  }

  @Test func `sets that are not sealed are put aside in an encrypted remote, and nobody is named for them`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    try copySets(of: try await SampleRemote(encrypted: false), into: remote)

    let plan = try await remote.inspector.planRepair()

    #expect(plan.actions.count { $0.change == .putAside } == 4)
    #expect(mentions(plan) == [])
    try await remote.apply(plan)
    try await goOn(remote)
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test
  func
    `sets that are sealed with a key of another remote are left and told of, and nobody is named for them`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    try copySets(of: try await SampleRemote(encrypted: true), into: remote)

    let plan = try await remote.inspector.planRepair()

    #expect(plan.actions.isEmpty, "\(plan.actions)")
    #expect(plan.left.filter { $0.code == .keyNotAtHand }.count == 1)
    try await goOn(remote)
  }

  @Test(arguments: [true, false])
  func `of an author without a head the last set is named before which none is lost or damaged`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let sets = try remote.sets()
    let author = sets[0].deletingLastPathComponent().lastPathComponent
    for head in try remote.files(in: "RecentSyncs") where head.lastPathComponent.hasPrefix(author) {
      try FileManager.default.removeItem(at: head)
    }
    #expect(mentions(try await remote.inspector.planRepair()).contains { "\($0)".contains("0000000003") })
    try remote.flip(sets[1])
    let named = mentions(try await remote.inspector.planRepair())
    #expect(named.count == 1 && named.allSatisfy { "\($0)".contains("0000000001") }, "\(named)")
    try remote.flip(sets[0])
    #expect(mentions(try await remote.inspector.planRepair()) == [])
  }

  @Test func `in a plain remote sets of another one are put aside, and nobody is named for them`()
    async throws
  {
    let (remote, other) = (try await SampleRemote(encrypted: false), try await SampleRemote(encrypted: false))
    let before = Set(try other.files(in: "SyncChanges").map(\.lastPathComponent))
    try await other.device("stranger").push("of a stranger")
    try copySets(of: other, into: remote) { !before.contains($0.lastPathComponent) }

    let plan = try await remote.inspector.planRepair()

    #expect(!plan.actions.isEmpty && plan.actions.allSatisfy { $0.change == .putAside }, "\(plan.actions)")
  }

  @Test func `in a plain remote the sets of a device that is registered are named again`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    try await remote.device("third").push("five")
    let known = Set(try remote.sets().map { $0.deletingLastPathComponent().lastPathComponent })
    for head in try remote.files(in: "RecentSyncs")
    where !known.contains(String(head.lastPathComponent.prefix { $0 != "." })) {
      try FileManager.default.removeItem(at: head)
    }
    #expect(!mentions(try await remote.inspector.planRepair()).isEmpty)
  }

  @Test func `a mention of what nobody has is taken back when it was asked for in vain`() async throws {
    let (remote, other) = (try await SampleRemote(encrypted: false), try await SampleRemote(encrypted: false))
    let set = try #require(try other.sets().last)
    try await remote.mention(set)

    let asked = try await remote.inspector.planRepair()
    #expect(asked.asksDevices)
    try await remote.apply(asked)
    let days = Date.now.addingTimeInterval(-3 * 24 * 60 * 60)
    #expect(!(try await remote.inspector.planRepair().actions.contains { $0.change == .putAside }))
    for request in try remote.files(in: "RecentSyncs", suffix: ".resend") {
      try FileManager.default.setAttributes([.modificationDate: days], ofItemAtPath: request.path)
    }

    let plan = try await remote.inspector.planRepair()
    #expect(
      mentions(plan).count == 1 && plan.actions.allSatisfy { $0.change == .putAside }, "\(plan.actions)")
    try await remote.apply(plan)
    #expect(try await remote.inspector.verify().isClean)
  }
}
