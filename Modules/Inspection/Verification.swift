import ChangeTracking
import SyncProtocol

/// What a verification looked at, and what it found.
public struct Verification: Sendable {
  /// Documents.
  public internal(set) var documents = 0
  /// Sets whose bytes were compared with their hash.
  public internal(set) var sets = 0
  /// Long values that sets mention.
  public internal(set) var longValues = 0
  /// Whole stores that were opened.
  public internal(set) var wholeStores = 0
  /// Heads.
  public internal(set) var heads = 0
  /// Files whose content could not be looked at because it is encrypted and no password was given.
  public internal(set) var locked = 0
  /// What is not as it should be, by place.
  public internal(set) var findings: [Finding] = []

  /// Whether nothing was found but hints.
  public var isClean: Bool { findings.allSatisfy { $0.severity == .hint } }
}

extension Verification {
  /// Leaves out what was found in folders of documents: nothing need be done about a file that is to go.
  fileprivate mutating func removeFindings(below folders: Set<RemotePath>) {
    guard !folders.isEmpty else { return }
    let depth = folders.map(\.names.count).min() ?? 0
    findings.removeAll { finding in
      guard let path = RemotePath(finding.path) else { return false }
      return folders.contains(RemotePath(Array(path.names.prefix(depth))))
    }
  }
}

extension RemoteInspector {
  /// Checks everything that can be checked without a device: names against hashes, chains, gaps, heads against sets,
  /// authenticity, and whether the content can be decoded.
  ///
  /// - Parameter remote: how the remote is named in the commands that findings suggest.
  /// - Throws: ``InspectionError`` if the remote as a whole cannot be read.
  public func verify(named remote: String = "REMOTE") async throws(InspectionError) -> Verification {
    var verification = Verification()
    let tree = try await self.tree()
    verification.findings += EntryChecks(remote: remote).findings(in: tree)
    for application in try await applications(in: tree) {
      if application.isOfAnotherPassword {
        verification.findings.append(
          Finding(
            .notAuthentic, .warning, path: application.hierarchy.root.description,
            message:
              "The password opens none of the key files of this application; its files were not opened.",
            next: "Verify it with its own password, or remove it if no device uses it."))
      }
      await InformationChecks(reader: application).run(&verification)
      let gone = await FoundingChecks(reader: application).run(&verification)
      verification.removeFindings(below: gone)
      for reader in application.documents {
        if Task.isCancelled { throw .cancelled }
        verification.documents += 1
        if gone.contains(reader.hierarchy.root) { continue }
        let sets = await SetChecks(reader: reader, remote: remote).run(&verification)
        await LongValueChecks(reader: reader, mentions: sets.mentions, isComplete: sets.isComplete)
          .run(&verification)
        await WholeStoreChecks(reader: reader).run(&verification)
        await HeadChecks(reader: reader, remote: remote).run(&verification)
      }
    }
    if Task.isCancelled { throw .cancelled }
    verification.findings.sort { ($0.path, $0.kind.rawValue) < ($1.path, $1.kind.rawValue) }
    return verification
  }
}
