import ChangeTracking
import Crypto
import SyncProtocol

/// What a verification looked at, and what it found.
public struct Verification: Sendable {
  /// How much a verification reads.
  public enum Depth: String, Sendable {
    /// Names and sizes, as listings tell them, and heads. Costs a request for each folder and head.
    case names
    /// All files: every byte is compared with its hash, opened and decoded.
    case data
  }

  /// What a verification comes to.
  public enum Outcome: String, Sendable {
    /// Nothing was found but hints.
    case healthy
    /// Something is late or missing that may still arrive, or that devices put back.
    case warnings
    /// Data are lost, damaged or not genuine.
    case damaged
    /// The storage did not deliver some files or folders; what it did deliver is not damaged.
    case unchecked
  }

  /// How much was read.
  public internal(set) var depth = Depth.data
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
  /// Whether a password was given.
  public internal(set) var isPasswordGiven = false
  /// What is not as it should be, by place.
  public internal(set) var findings: [Finding] = []

  /// A set or long value that is not there.
  struct Lost: Hashable, Sendable {
    let document: DocumentHierarchy
    let subject: ResendRequest.Subject
  }

  /// What is not there, as far as somebody can be asked for it.
  var lost: [Lost] = []
  /// What the whole stores contain that open, by their places.
  var storeContents: [RemotePath: VersionVector] = [:]
  /// Of documents by their folders, the sets of each author that were removed and that no whole store holds any more.
  var lostHistory: [RemotePath: VersionVector] = [:]
  /// Of documents by their folders, the last set of each author that need not be there.
  var floors: [RemotePath: VersionVector] = [:]
  /// Sets that cannot be used, or that do not continue what lies before them.
  var unusable: Set<RemotePath> = []
  /// Of documents by their folders, the last set of each author that some device says that it has.
  var seen: [RemotePath: VersionVector] = [:]
  /// By the folders of applications, the files that are sealed with keys which are not at hand.
  var keysNotAtHand: [RemotePath: [KeyIdentifier: FilesOfKey]] = [:]
  /// Of documents by their folders, of each author the last of the first sets that are not there though no floor says so.
  var unsaidFloors: [RemotePath: VersionVector] = [:]
  /// Clients that heads name and nothing describes.
  var undescribed: Set<String> = []
  /// Applications that are not encrypted and should be, as far as can be told: nothing is repaired in them.
  var doubted: Set<RemotePath> = []
  /// Folders of applications and documents that have other names than devices look for.
  var misnamed: [MisnamedFolder] = []
  /// Documents in which authors of others lie: nothing is repaired in them while it is not certain where all of their sets belong.
  var mixed: Set<RemotePath> = []
  /// Folders of documents that hold what belongs in other folders of these.
  var misfiled: [MisfiledFolder] = []
  /// Copies under foreign names that are what the name of the original says.
  var whole: Set<RemotePath> = []

  /// Folders of applications and documents in which nothing is looked at, for nothing in them is what it seems.
  var unexamined: Set<RemotePath> { Set(misnamed.map(\.root) + misfiled.flatMap(\.documents)) }

  /// Whether nothing was found but hints.
  public var isClean: Bool { outcome == .healthy }

  /// What it comes to: the worst of the findings.
  public var outcome: Outcome {
    let errors = findings.filter { $0.severity == .error }
    if errors.contains(where: { !$0.code.isUnchecked }) { return .damaged }
    if !errors.isEmpty { return .unchecked }
    return findings.contains { $0.severity == .warning } ? .warnings : .healthy
  }
}

extension Verification {
  /// Leaves out what was found in folders of documents: nothing need be done about a file that is to go.
  fileprivate mutating func removeFindings(below folders: Set<RemotePath>) {
    guard !folders.isEmpty else { return }
    let depths = Set(folders.map(\.names.count))
    findings.removeAll { finding in
      // What has other names than ours lies in folders of ours.
      guard let path = RemotePath(finding.path) ?? RemotePath(finding.path, .classic) else { return false }
      return depths.contains { folders.contains(RemotePath(Array(path.names.prefix($0)))) }
    }
  }
}

extension Finding {
  /// What to do about what is late or lost.
  static func waiting(_ remote: String) -> String {
    "Wait until the storage has delivered all files, then run: ticds-inspect verify \(remote). What stays missing a repair asks all devices for, or takes from a copy (--from COPY): ticds-inspect repair \(remote)"
  }
}

extension RemoteInspector {
  /// Checks everything that can be checked without a device: names against hashes, chains, gaps, heads against sets,
  /// authenticity, and whether the content can be decoded.
  ///
  /// - Parameters:
  ///   - remote: how the remote is named in the commands that findings suggest.
  ///   - depth: how much is read.
  ///   - visitor: is shown each set that is read.
  /// - Throws: ``InspectionError`` if the remote as a whole cannot be read.
  public func verify(
    named remote: String = "REMOTE", depth: Verification.Depth = .data, visitor: (any SetVisitor)? = nil
  ) async throws(InspectionError) -> Verification {
    try await withSteadyKeys { inspector, _ throws(InspectionError) in
      let (tree, applications) = try await inspector.treeWithApplications()
      return try await inspector.verify(tree, applications, named: remote, depth: depth, visitor: visitor)
    }
  }

  /// Looks at a remote whose files of keys are made sure of.
  func withSteadyKeys<Result>(
    listings: Bool = false,
    _ look: (RemoteInspector, SteadyKeyReadings) async throws(InspectionError) -> Result
  ) async throws(InspectionError) -> Result {
    let keys = SteadyKeyReadings(backend, listings: listings)
    do throws(InspectionError) {
      return try await look(RemoteInspector(self, reading: keys), keys)
    } catch {
      // Of a file that reads differently each time nothing tells whether the password opens it.
      guard error.isAboutKeys, let failure = keys.unsteady else { throw error }
      throw .storage(failure)
    }
  }

  func verify(
    _ tree: RemoteNode, _ applications: [ApplicationReader], named remote: String, depth: Verification.Depth,
    visitor: (any SetVisitor)? = nil
  ) async throws(InspectionError) -> Verification {
    var verification = Verification()
    verification.depth = depth
    verification.isPasswordGiven = password != nil
    // Each takes a look at every set, so it is done once, and beside what looks at the other entries.
    async let readers = Self.documents(of: applications)
    let seen = await FolderLook(backend: backend).look(tree)
    verification.findings += EntryChecks(remote: remote).findings(in: tree, applications, seen: seen)
    // What is empty tells without being read.
    if depth == .names { verification.findings += EmptyFileChecks().findings(in: tree) }
    let documents = await readers
    verification.misfiled = applications.flatMap {
      MisfiledFolders(documents[$0.hierarchy.root] ?? []).find()
    }
    let misfiled = Set(verification.misfiled.flatMap(\.documents))
    verification.misnamed = await Self.misnamed(
      applications, documents.mapValues { $0.filter { !misfiled.contains($0.hierarchy.root) } }, in: tree,
      seen: seen)
    let unexamined = verification.unexamined
    for application in applications {
      if application.isOfAnotherPassword {
        verification.findings.append(
          Finding(
            .otherPassword, path: application.hierarchy.root.description,
            message:
              "The password opens none of the key files of this application; its files were not opened.",
            next: "Verify it with its own password, or remove it if no device uses it."))
      }
      if unexamined.contains(application.hierarchy.root) { continue }
      let documents = documents[application.hierarchy.root] ?? []
      await InformationChecks(reader: application, documents: documents).run(
        &verification, passingOver: unexamined)
      let gone = await FoundingChecks(reader: application, documents: documents, remote: remote).run(
        &verification)
      verification.removeFindings(below: gone)
      for reader in documents {
        if Task.isCancelled { throw .cancelled }
        verification.documents += 1
        if gone.contains(reader.hierarchy.root) || unexamined.contains(reader.hierarchy.root) { continue }
        let stores = await WholeStoreChecks(reader: reader, documents: documents).run(&verification)
        let sets = await SetChecks(
          reader: reader, remote: remote, documents: documents, visitor: visitor,
          stores: Array(stores.contents.values)
        ).run(&verification)
        if depth == .data {
          await LongValueChecks(
            reader: reader, remote: remote, mentions: sets.mentions, isComplete: sets.isComplete
          )
          .run(&verification)
        }
        verification.floors[reader.hierarchy.root] = sets.floor
        await HistoryChecks(reader: reader, remote: remote, floor: sets.floor).run(stores, &verification)
        await HeadChecks(reader: reader, remote: remote, floor: sets.floor, documents: documents).run(
          &verification)
        verification.noteMetRequests(reader, isComplete: depth == .data && sets.isComplete)
      }
    }
    verification.removeFindings(below: unexamined)
    verification.findings += verification.misnamed.map(\.finding) + verification.misfiled.map(\.finding)
    EncryptionChecks(applications: applications.filter { !unexamined.contains($0.hierarchy.root) })
      .run(&verification)
    verification.tellKeysNotAtHand(applications, named: remote)
    if Task.isCancelled { throw .cancelled }
    for application in applications { try application.device.check() }
    verification.adviseOnMovedParts(of: tree)
    verification.findings.sort { ($0.path, $0.kind.rawValue) < ($1.path, $1.kind.rawValue) }
    return verification
  }
  /// The documents of each application, by its folder.
  private static func documents(of applications: [ApplicationReader]) async -> [RemotePath: [DocumentReader]]
  {
    Dictionary(applications.map { ($0.hierarchy.root, $0.documents) }) { first, _ in first }
  }
}
