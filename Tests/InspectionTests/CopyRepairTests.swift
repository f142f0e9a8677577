import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// Another copy of the remote has what lies here no more.
@Suite struct CopyRepairTests {
  /// What is lost, and whether it is all that is to come back.
  enum Loss: String, CaseIterable, Sendable {
    case heads, author, lastSetAndHead, clients, description, foundings, folders, application
  }

  private func lose(_ loss: Loss, _ remote: SampleRemote) throws {
    let author = try #require(try remote.sets().first).deletingLastPathComponent()
    let own = try remote.files(in: "RecentSyncs", suffix: ".head").filter {
      $0.lastPathComponent.hasPrefix(author.lastPathComponent)
    }
    let places: [URL] =
      switch loss {
      case .heads: try remote.files(in: "RecentSyncs", suffix: ".head")
      case .author: own + [author]
      case .lastSetAndHead: own + [try #require(try remote.sets().last)]
      case .clients: [remote.remote.appending(path: "sample/ClientDevices")]
      case .description: [remote.remote.appending(path: "sample/ClientDevices/client-first")]
      case .foundings: [remote.remote.appending(path: "sample/Founding")]
      case .folders:
        ["SyncChanges", "RecentSyncs", "LongValues"].map {
          remote.remote.appending(path: "sample/Documents/things/\($0)")
        }
      case .application: [remote.remote.appending(path: "sample")]
      }
    for place in places { try FileManager.default.removeItem(at: place) }
  }

  /// Old heads, whose authors have published newer ones, are missed by nobody.
  private func missing(_ remote: SampleRemote, _ whole: [String: Data?]) throws -> [String] {
    let contents = try remote.contents()
    return whole.keys.filter { contents[$0] == nil && !$0.hasSuffix(".head") }.sorted()
  }

  @Test(arguments: Loss.allCases, [true, false])
  func `what is lost here comes back from the copy, and undoing takes all of it away again`(
    loss: Loss, encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    let whole = try remote.contents()
    let copy = try remote.copy()
    try lose(loss, remote)
    let damaged = try remote.contents()

    var repairs: [RemoteRepair] = []
    for _ in 0..<3 { repairs.append(try await remote.repair(from: copy)) }

    #expect(try missing(remote, whole) == [])
    let verification = try await remote.inspector.verify()
    #expect(verification.findings.filter { $0.severity != .hint } == [])
    for repair in repairs.reversed() { #expect(try await repair.undo() == []) }
    #expect(try remote.contents() == damaged)
  }

  @Test(
    arguments: [
      "ClientDevices", "Documents/things", "Documents/things/IntegrityKey", "Encryption", "Founding",
    ],
    [true, false])
  func `nothing is left to a person that comes back from the copy`(folder: String, isEmptied: Bool)
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let copy = try remote.copy()
    let place = remote.remote.appending(path: "sample/\(folder)")
    try FileManager.default.removeItem(at: place)
    if isEmptied { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false) }

    let plan = try await remote.inspector.planRepair(from: copy.inspector)

    #expect(!plan.actions.isEmpty)
    #expect(plan.left.map(\.code) == [])
    _ = try await remote.repair(from: copy)
    #expect(try await remote.inspector.verify().outcome == .healthy)
  }

  @Test func `what the copy does not have either is left to a person`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let folder = remote.remote.appending(path: "sample/Documents/things/IntegrityKey")
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      try FileManager.default.removeItem(at: file)
    }
    let copy = try remote.copy()
    try FileManager.default.removeItem(at: remote.remote.appending(path: "sample/ReadMe.txt"))

    let plan = try await remote.inspector.planRepair(from: copy.inspector)

    #expect(plan.actions.map { "\($0.path)" } == ["sample/ReadMe.txt"])
    #expect(plan.left.map(\.code).contains(.foundingMissing))
  }

  @Test(arguments: [true, false]) func `a copy of earlier changes nothing`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let copy = try remote.copy()
    try await remote.addLongValue(String(repeating: "long ", count: 8_000))
    try await remote.vacuum()

    #expect(try await remote.inspector.planRepair(from: copy.inspector).actions == [])
  }

  // MARK: Notes about devices and passwords

  @Test(arguments: [true, false])
  func `a note that a device was removed comes back, and the device does not take part again`(
    encrypted: Bool
  ) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let document = try await remote.device("first").document.remoteDocument()
    let second = try #require(try await document.devices().first { $0.name == "second" })
    _ = try await remote.device("first").document.removeDevice(second.author)
    let copy = try remote.copy()
    let note = try #require(try remote.files(in: "RecentSyncs", suffix: ".removed").first)
    let bytes = try Data(contentsOf: note)
    try FileManager.default.removeItem(at: note)
    let without = try remote.contents()

    let repair = try await remote.repair(from: copy)

    #expect(try Data(contentsOf: note) == bytes)
    #expect(try await remote.inspector.planRepair(from: copy.inspector).actions == [])
    #expect(try await remote.inspector.verify().isClean)
    await #expect(throws: SyncError.self) { try await remote.device("second").document.synchronize() }
    #expect(try await repair.undo() == [])
    #expect(try remote.contents() == without)
  }

  @Test(arguments: [true, false])
  func `what a device is called comes back, but not what it was called before`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    try await remote.rename("first", "laptop")
    let former = try remote.copy()
    try await remote.rename("first", "desktop")
    let copy = try remote.copy()
    let file = try #require(try remote.files(in: "RecentSyncs", suffix: ".name").first)
    let bytes = try Data(contentsOf: file)

    #expect(
      try await remote.inspector.planRepair(from: former.inspector).actions.filter {
        "\($0.path)".hasSuffix(".name")
      } == [])
    try FileManager.default.removeItem(at: file)
    try await remote.repair(from: copy)

    #expect(try remote.files(in: "RecentSyncs", suffix: ".name") == [file])
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try await remote.inspector.verify().isClean)
  }

  @Test
  func `a password that was withdrawn stays withdrawn, and one that came in its place opens the remote`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let former = try remote.contents()
    try await remote.changePassword(from: SampleRemote.password, to: "another one")
    let copy = try remote.copy("another one")
    let keys = remote.remote.appending(path: "sample/Encryption")
    let whole = try SampleRemote.contents(of: keys)
    // What storage goes back to has both passwords: the note alone is lost.
    for name in whole.keys where name.hasSuffix(".withdrawn") {
      try FileManager.default.removeItem(at: keys.appending(path: name))
    }
    for (path, bytes) in former where path.hasPrefix("sample/Encryption/") {
      try bytes?.write(to: remote.remote.appending(path: path))
    }
    let damaged = try remote.contents()
    #expect(try await remote.inspector.verify().isClean)

    let repair = try await remote.repair(from: copy, password: "another one")

    #expect(Set(whole.keys).isSubset(of: try SampleRemote.contents(of: keys).keys))
    await #expect(throws: InspectionError.self) { try await remote.inspector.verify() }
    #expect(try await remote.inspector("another one").verify().isClean)
    #expect(try await repair.undo() == [])
    #expect(try remote.contents() == damaged)
  }

  @Test func `a password is withdrawn only where another opens the remote`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let former = try remote.contents()
    try await remote.changePassword(from: SampleRemote.password, to: "another one")
    let copy = try remote.copy()
    let keys = remote.remote.appending(path: "sample/Encryption")
    try FileManager.default.removeItem(at: keys)
    try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: false)
    for (path, bytes) in former where path.hasPrefix("sample/Encryption/") {
      try bytes?.write(to: remote.remote.appending(path: path))
    }
    // The copy lacks the file of the new password.
    let ofCopy = copy.place.appending(path: "sample/Encryption")
    for (path, bytes) in former where path.hasPrefix("sample/Encryption/") {
      try bytes?.write(to: copy.place.appending(path: path))
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: ofCopy.path)
    where name.hasSuffix(".keys") && former["sample/Encryption/\(name)"] == nil {
      try FileManager.default.removeItem(at: ofCopy.appending(path: name))
    }
    let ring = try await remote.ring()

    let plan = try await RemoteInspector(
      backend: FileManagerBackend(folder: remote.remote.path), keys: ring
    ).planRepair(
      from: RemoteInspector(backend: FileManagerBackend(folder: copy.place.path), keys: ring))

    #expect(!plan.actions.contains { "\($0.path)".hasSuffix(".withdrawn") }, "\(plan.actions.map(\.path))")
  }

  @Test(arguments: [["Encryption", "Founding"], ["Encryption"], ["Founding"]])
  func `keys that came in the place of others come back from the copy, with the record of their founding`(
    lost: [String]
  ) async throws {
    let remote = try await SampleRemote(encrypted: true)
    let former = try remote.copy()
    _ = try await remote.device("first").application.replaceKeys(password: "another one")
    let copy = try remote.copy("another one")
    let whole = try remote.contents()
    for name in lost {
      let place = remote.remote.appending(path: "sample/\(name)")
      try FileManager.default.removeItem(at: place)
      try FileManager.default.copyItem(at: former.place.appending(path: "sample/\(name)"), to: place)
    }

    try await remote.repair(from: copy, password: "another one")

    let contents = try remote.contents()
    #expect(whole.keys.filter { contents[$0] == nil } == [])
    #expect(try await remote.inspector("another one").verify().findings.filter { $0.severity != .hint } == [])
  }

  @Test func `who begins with the password of before gets all keys and withdrawals with that of now`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: true)
    let former = try remote.copy()
    _ = try await remote.device("first").application.replaceKeys(password: "another one")
    let (old, new) = (try remote.copy(), try remote.copy("another one"))
    let whole = try remote.contents()
    let place = remote.remote.appending(path: "sample/Encryption")
    try FileManager.default.removeItem(at: place)
    try FileManager.default.copyItem(at: former.place.appending(path: "sample/Encryption"), to: place)

    try await remote.repair(from: old)
    try await remote.repair(from: new, password: "another one")

    let contents = try remote.contents()
    #expect(whole.keys.filter { contents[$0] == nil } == [])
    #expect(try await remote.inspector("another one").planRepair(from: new.inspector).actions.isEmpty)
  }
}
