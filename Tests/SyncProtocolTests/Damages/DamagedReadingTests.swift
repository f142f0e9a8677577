import ChangeTracking
import Foundation
import Inspection
import InspectionReport
import SyncProtocol
import TemporaryFolders
import Testing

/// Everything that shows what lies on a remote, of remotes on which files were damaged at random: it ends, with what it can show or with an
/// error that says why, and reads no more than a few times what is there.
@Suite struct DamagedReadingTests {
  typealias Verb = @Sendable (RemoteInspector, _ scratch: TemporaryFolder) async throws -> Void

  static let verbs: [String: Verb] = [
    "tree": { inspector, _ in try await inspector.walk { _, _, _ in } },
    "info": { inspector, _ in _ = try await inspector.overview() },
    "at": { inspector, _ in
      try await inspector.state(at: .until(1_700_000_000_000)).objects().forEach { _ in }
    },
    "export": { inspector, _ in try await inspector.state().objects().forEach { _ in } },
    "diff": { inspector, _ in
      let differences = try StateDifferences()
      try differences.add(try await inspector.state(at: .until(0)).objects(), as: .first)
      try differences.add(try await inspector.state().objects(), as: .second)
      _ = try differences.forEach { _ in }
    },
    "decrypt": { inspector, scratch in
      try await inspector.writeOpened(to: scratch.file("copy")) { _ in }
    },
    "stats": { inspector, _ in _ = try await inspector.statistics() },
    "history": { inspector, _ in
      try await inspector.forEachSet { set in
        if case .success(let content) = set.result { _ = content.syncChanges }
      }
    },
    "password": { inspector, _ in _ = try await inspector.inspectedApplications() },
    "vacuum": { inspector, _ in _ = try await inspector.vacuumOutlooks() },
    "report": { inspector, _ in
      _ = ReportPage(try await inspector.report(named: "remote", made: .now)).html
    },
  ]

  private static func inspector(_ backend: any SyncBackend, _ stage: AttackStage) -> RemoteInspector {
    RemoteInspector(backend: backend, password: stage.isEncrypted ? "pass" : nil)
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `whatever is damaged, each verb ends, and reads each file a few times at most`(seed: Int) async throws
  {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let size = Int64(remote.contents.values.map(\.count).reduce(0, +))
    let entries = try await Self.inspector(remote.backend, stage).tree().all.count
    for (name, verb) in Self.verbs {
      let counting = CountingBackend(remote.backend)
      do {
        try await verb(Self.inspector(counting, stage), TemporaryFolder())
      } catch let error as InspectionError {
        // No key opens any more, nothing is there at all, or nothing can be made of it.
        switch error {
        case .wrongPassword, .keyFilesLate, .keyFile, .nothingThere, .underOtherName, .withinItself,
          .passwordNeeded,
          .noDocument, .noState:
          break
        default: Issue.record("\(name): \(error)")
        }
      }
      // The folder that holds everything is listed as often, and is no entry itself.
      #expect(counting.count.requests <= 6 * (entries + 1), "\(name)")
      #expect(counting.count.bytes <= 6 * size, "\(name)")
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `of what is said to be missing no state leaves out anything without a word`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    guard let verification = try? await inspector.verify() else { return }
    let missing = verification.findings.filter { [.gap, .missingSet].contains($0.code) }

    do {
      let omissions = try await inspector.state().omissions
      #expect(missing.isEmpty || !omissions.isEmpty, "\(missing)")
    } catch is InspectionError {
      // What cannot be made at all is said.
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `what can be read before a repair can be read after it, though no device answers`(
    seed: Int
  ) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    guard let before = try? await inspector.state().contents, let plan = try? await inspector.planRepair()
    else { return }
    let scratch = try TemporaryFolder()
    let repair = RemoteRepair(
      backend: remote.backend, other: nil, quarantine: try Quarantine(newAt: scratch.file("quarantine")))

    _ = try await repair.apply(plan)

    let after = try await inspector.state().contents
    for (author, last) in before.sequences { #expect(after[author] >= last, "\(author)") }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `whatever is damaged, every file is shown as what it is`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    for path in remote.files.compactMap({ RemotePath($0) }) {
      do throws(InspectionError) {
        _ = try await Self.inspector(remote.backend, stage).content(of: path)
      } catch {
        switch error {
        case .wrongPassword, .keyFilesLate, .keyFile, .nothingThere, .underOtherName, .withinItself,
          .passwordNeeded,
          .noFile, .storage:
          break
        default: Issue.record("\(path): \(error)")
        }
      }
    }
  }

  // MARK: Beside what a verification finds

  /// Findings of which no file can be read as what it should be.
  private static let damages: Set<Finding.Code> = [
    .damagedFile, .notAuthentic, .notSealed, .undecodable, .misplaced,
  ]

  @Test(arguments: 0..<RandomDamage.seeds)
  func `what a verification calls damaged is shown as sound nowhere`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    guard let verification = try? await inspector.verify(depth: .data) else { return }
    let damaged = verification.findings.filter { Self.damages.contains($0.code) }
    var isSetDamaged = false

    do throws(InspectionError) {
      for finding in damaged {
        guard let path = RemotePath(finding.path), remote.bytes(finding.path) != nil else { continue }
        let content = try await inspector.content(of: path)
        #expect(content.problem != nil || content.isLocked, "\(finding)")
      }
    } catch {
      guard case .storage = error else {
        Issue.record(error)
        return
      }
    }
    let places = Set(damaged.map(\.path))
    do {
      try await inspector.forEachSet { set in
        guard places.contains(set.path.description) else { return }
        isSetDamaged = true
        if case .success = set.result { Issue.record("\(set.path)") }
      }
      if isSetDamaged { #expect(try await inspector.statistics().unread > 0) }
    } catch is InspectionError {
      // What cannot be looked at for want of a key is said.
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `what cannot be read or is not there a verification finds`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    guard let verification = try? await inspector.verify(depth: .data) else { return }
    let troubles = verification.findings.filter { $0.severity != .hint }
    let places = Set(troubles.map(\.path))

    do {
      let statistics = try await inspector.statistics()
      let missing = statistics.omissions.missing
      #expect(missing.isEmpty || !troubles.isEmpty, "\(missing)")
      try await inspector.forEachSet { set in
        guard case .failure(let failure) = set.result else { return }
        let names = set.path.names.map(\.description)
        let document = names.prefix(3).joined(separator: "/")
        // One that belongs in another document is judged as a set of that.
        if names.count > 2, set.document != names[2] { return }
        // A document of which folders have been moved or exchanged is examined when they are back, and of what lies where nothing of ours
        // belongs it is told as a whole.
        let isUnexamined = verification.findings.contains {
          [.folderMoved, .nameInOtherCase].contains($0.code)
            && $0.path.lowercased().hasPrefix(document.lowercased())
            || $0.code == .folderMoved && $0.path.hasPrefix(names.prefix(2).joined(separator: "/"))
            || $0.code != .partMissing && set.path.description.hasPrefix($0.path + "/")
        }
        // Of what no key at hand opens, one finding tells for all.
        #expect(
          isUnexamined
            || (failure.isForWantOfKey ? !troubles.isEmpty : places.contains(set.path.description)),
          "\(set.path): \(failure) \(verification.findings.map { "\($0.code) \($0.path)" })")
      }
    } catch is InspectionError {
      // What cannot be looked at for want of a key is said.
    }
  }

  @Test(arguments: 0..<RandomDamage.seeds)
  func `what a verification says is missing is missing for whoever counts and lists`(seed: Int) async throws {
    let (remote, stage) = try await RandomDamage.remote(seed)
    let inspector = Self.inspector(remote.backend, stage)
    guard let verification = try? await inspector.verify() else { return }
    let missing = verification.findings.filter { [.gap, .missingSet].contains($0.code) }

    guard !missing.isEmpty, let statistics = try? await inspector.statistics() else { return }

    #expect(!statistics.omissions.isEmpty, "\(missing)")
  }
}
