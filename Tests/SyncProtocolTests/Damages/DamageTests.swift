import ByteFixtures
import ChangeTracking
import Foundation
import Inspection
import ProcessTesting
import SyncProtocol
import Testing

/// Each kind of file, each damage: what `verify` says of it.
@Suite struct DamageTests {
  static let files = AttackedFile.allCases.filter { !$0.isFolder }
  static func heading(_ isEncrypted: Bool) -> String {
    isEncrypted ? "With encryption" : "Without encryption"
  }

  private static func inspector(_ backend: any SyncBackend, _ stage: AttackStage) -> RemoteInspector {
    RemoteInspector(backend: backend, password: stage.isEncrypted ? "pass" : nil)
  }

  /// Looks at what a damage adds to the findings, or takes from them.
  private static func cell(
    _ file: AttackedFile, _ misfortune: Misfortune, _ stage: AttackStage, before: Set<Finding>
  ) async throws -> String {
    let remote = try AttackRemote()
    try remote.copy(stage.remote)
    guard let path = remote.target(file), try remote.befall(path, misfortune, stage) else {
      return "–"
    }
    var backend: any SyncBackend = remote.backend
    if misfortune == .unreadable {
      backend = FaultyBackend(withholding: try #require(RemotePath(path)), of: backend)
    }
    let codes: Set<String>
    do throws(InspectionError) {
      let after = Set(try await inspector(backend, stage).verify().findings)
      // What was not delivered is not known to be damaged.
      for finding in after where misfortune == .unreadable && finding.code == .unreadable {
        #expect(finding.message.contains("did not deliver") && !finding.next.contains("Restore the"))
      }
      codes = Set(after.subtracting(before).map(\.code.rawValue))
    } catch {
      codes = ["fails: \(error)".prefix { $0 != "(" }.description]
    }
    return codes.isEmpty ? "nothing" : codes.sorted().joined(separator: ", ")
  }

  @Test(arguments: files, [true, false])
  func `verify says of each damage what the page says`(_ file: AttackedFile, _ isEncrypted: Bool) async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let before = Set(try await Self.inspector(stage.remote.backend, stage).verify().findings)
    let table = try DamageTable(Self.heading(isEncrypted))
    var cells: [String] = []
    for misfortune in Misfortune.allCases {
      let cell = try await Self.cell(file, misfortune, stage, before: before)
      cells.append(cell)
      #expect(cell == table.cell(file, misfortune) ?? "–", "\(file) \(misfortune)")
    }
    if ProcessInfo.processInfo.environment["TICDS_SHOW_DAMAGES"] != nil {
      print("ROW \(isEncrypted) | \(file.rawValue) | \(cells.joined(separator: " | ")) |")
    }
  }

  @Test(arguments: [true, false])
  func `the page has a row for each kind of file, and no other`(_ isEncrypted: Bool) throws {
    let files = Self.files.filter { isEncrypted || ![.keyFile, .wrappedKey].contains($0) }
    #expect(try DamageTable(Self.heading(isEncrypted)).files == Set(files.map(\.rawValue)))
  }

  @Test func `what storage does not deliver is unchecked, and damage beside it outweighs that`() async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    let remote = try AttackRemote()
    try remote.copy(stage.remote)
    let sets = remote.targets(.set)
    let withheld = FaultyBackend(withholding: try #require(RemotePath(sets[0])), of: remote.backend)
    #expect(try await Self.inspector(withheld, stage).verify().outcome == .unchecked)
    let folder = try #require(RemotePath(sets[0])?.parent)
    let closed = FaultyBackend(withholding: folder, of: remote.backend)
    let codes = try await Self.inspector(closed, stage).verify().findings.map(\.code)
    #expect(codes.contains(.folderUnreadable))
    #expect(try remote.befall(sets[1], .flipped, stage))
    #expect(try await Self.inspector(withheld, stage).verify().outcome == .damaged)
  }

  // MARK: Folders

  @Test(arguments: [true, false])
  func `a folder of ours in another case is an error whichever it is, and no repair makes another`(
    _ isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: false)
    let folders = Set(
      stage.remote.files.flatMap { path in
        let names = path.split(separator: "/").dropLast()
        return names.indices.map { names[...$0].joined(separator: "/") }
      })
    // What clients are called is in no case of its own.
    for folder in folders.sorted() where !folder.contains("ClientDevices/") {
      let remote = try AttackRemote()
      try remote.copy(stage.remote)
      let names = folder.split(separator: "/")
      let other = names.dropLast().map { "\($0)/" }.joined() + (names.last ?? "").uppercased()
      guard other != folder else { continue }
      try FileManager.default.moveItem(at: remote.place(folder), to: remote.place(other))
      let inspector = Self.inspector(remote.backend, stage)

      let verification = try await inspector.verify()
      let found = verification.findings.first { $0.code == .nameInOtherCase && $0.path == other }
      #expect(found?.next.hasPrefix("Rename it to “\(names.last ?? "")”") == true, "\(other)")
      #expect(verification.outcome == .damaged)
      let places = try await inspector.planRepair().actions.map { "\($0.path)" }
      #expect(!places.contains { "\($0)/".hasPrefix("\(folder)/") }, "\(other)")
      #expect(!places.contains { "\($0)/".hasPrefix("\(other)/") }, "\(other)")
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `whatever is damaged, strangers' folders change no finding and no repair`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    let paths = RandomDamage.strangers.compactMap { $0.split(separator: "/").first.map(String.init) }
    for path in paths { try? FileManager.default.removeItem(at: remote.place(path)) }
    do {
      let before = try await inspector.verify()
      let actions = try await inspector.planRepair().actions.count
      try RandomDamage.layStrangers(on: remote)
      let after = try await inspector.verify()
      let others = Set(after.findings).subtracting(before.findings)
      #expect(Set(before.findings).subtracting(after.findings) == [])
      #expect(Set(others.map(\.path)) == Set(paths) && others.allSatisfy { $0.severity == .hint })
      #expect(try await inspector.planRepair().actions.count == actions)
    } catch let error as InspectionError {
      switch error {
      case .wrongPassword, .keyFilesLate, .keyFile, .nothingThere, .underOtherName, .withinItself: break
      default: Issue.record("\(error)")
      }
    }
  }

  // MARK: At random

  @Test(arguments: 0..<RandomDamage.seeds)
  func `whatever is damaged, a verification ends, and reads each file once or twice`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let size = Int64(remote.contents.values.map(\.count).reduce(0, +))
    let entries = try await Self.inspector(remote.backend, stage).tree().all.count
    for depth in [Verification.Depth.names, .data] {
      let counting = CountingBackend(remote.backend)
      do throws(InspectionError) {
        _ = try await Self.inspector(counting, stage).verify(depth: depth)
      } catch {
        // No key opens any more, or nothing is there at all.
        switch error {
        case .wrongPassword, .keyFilesLate, .keyFile, .nothingThere, .underOtherName, .withinItself: break
        default: Issue.record("\(error)")
        }
      }
      // Where next to nothing is left, what every remote has is looked for all the same.
      #expect(counting.count.requests <= 3 * (entries + 4))
      #expect(counting.count.bytes <= 3 * size + 1_024)
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `whatever is damaged, a repair names no set that is of no use, for devices would wait for it`(
    seed: Int
  ) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    guard let plan = try? await Self.inspector(remote.backend, stage).planRepair() else { return }
    let aside = Set(plan.actions.filter { $0.change == .putAside }.map(\.path))
    let before = Set(remote.entries)
    let heads = before.compactMap { RemotePath($0)?.name.flatMap { HeadName($0) } }
    let written = Set(plan.actions.filter { $0.change != .putAside }.map(\.path))
    for action in plan.actions where action.change == .write(.bytes([])) {
      guard let mention = action.path.name.flatMap({ Mention($0) }),
        let document = action.path.parent?.parent,
        let set = RemotePath("\(document)/SyncChanges/\(mention.author)/\(mention.set.name)")
      else { continue }
      // A head or mention that is damaged itself, or a folder in its place, has named it before, if the name is genuine.
      let isNamed =
        before.contains("\(action.path)")
        || heads.contains { $0.author == mention.author && $0.set == mention.set }
      // It may lie there under a name in other case, and get its own.
      let isThere = written.contains(set) || remote.exists("\(set)") && !aside.contains(set)
      #expect(isNamed || isThere, "\(set)")
    }
  }

  // MARK: What is shown of single files

  @Test(arguments: [true, false])
  func `every file that a verification finds nothing wrong with is shown as sound`(_ isEncrypted: Bool)
    async throws
  {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: true)
    let inspector = Self.inspector(stage.remote.backend, stage)
    let told = Set(try await inspector.verify(depth: .data).findings.map(\.path))

    for path in stage.remote.files where !told.contains(path) {
      let content = try await inspector.content(of: try #require(RemotePath(path)))
      #expect(content.problem == nil && !content.isLocked, "\(path): \(content.problem ?? "locked")")
    }
  }

  @Test(arguments: [true, false])
  func `a name that no member has chosen is told of, also of a device that was removed, and shown`(
    _ isEncrypted: Bool
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: true)
    let removed = stage.remote.files.filter { $0.hasSuffix(".removed") }.compactMap {
      $0.split(separator: "/").last?.prefix { $0 != "." }
    }
    let endings = [".head", ".removed", ".name", ".mention", ".floor", ".copy", ".supersedes", ".resend"]
    for ending in endings {
      let remote = try AttackRemote()
      try remote.copy(stage.remote)
      let inspector = Self.inspector(remote.backend, stage)
      let before = Set(try await inspector.verify().findings)
      // With a key that is gone with him, whoever was removed may have written anything.
      let path = remote.files.filter { path in
        path.hasSuffix(ending) && path.contains("/notes/")
          && !(isEncrypted && removed.contains { path.contains($0) })
      }.max()
      guard let path,
        let bytes = remote.bytes(path)
      else { continue }
      let digit = path.dropLast(ending.count).last
      let forged = path.dropLast(ending.count + 1) + (digit == "0" ? "1" : "0") + ending
      try remote.remove(path)
      try remote.write([UInt8](bytes), to: String(forged))

      let found = Set(try await inspector.verify().findings).subtracting(before)
      let shown = try await inspector.content(of: try #require(RemotePath(forged)))

      #expect(found.contains { $0.code == .forgedName && $0.path == forged }, "\(forged): \(found)")
      #expect(shown.problem != nil, "\(forged)")
    }
  }
}
