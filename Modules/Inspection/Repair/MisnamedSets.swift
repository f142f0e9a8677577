import ChangeTracking
import Crypto
import SyncProtocol

/// Finds sets whose name, or whose author's folder, or whose document, is not the one that their content proves: somebody or something has
/// changed it, and nothing else is wrong with them.
///
/// A set that is sealed opens as itself alone, so it is tried as each set that is missing. One that is not says whose it is, and bears the mark of
/// its document; that it is whole its hash tells, which stands in its own name, in a head or in the set after it.
struct MisnamedSets {
  private let documents: [RemotePath: DocumentReader]
  private let lost: [RemotePath: [Identity]]

  private struct Identity: Hashable {
    /// The folder of its document.
    let document: RemotePath
    let author: AuthorID
    let sequence: UInt64

    var before: Identity { at(sequence &- 1) }

    /// The set of the same author under another number.
    func at(_ sequence: UInt64) -> Identity {
      Identity(document: document, author: author, sequence: sequence)
    }
  }

  /// Files that are looked at, sets that one is tried as, and other documents in which these are missing, at most: whoever can write to the
  /// storage makes any number of all.
  private static let (fileLimit, tryLimit, documentLimit) = (1_024, 64, 16)

  /// What a verification says of a set that is another one.
  private static let codes: Set<Finding.Code> = [.damagedFile, .notAuthentic, .misplaced]

  init(_ applications: [ApplicationReader], _ verification: Verification) {
    documents = Dictionary(applications.flatMap(\.documents).map { ($0.hierarchy.root, $0) }) { first, _ in
      first
    }
    lost = Dictionary(grouping: verification.lost, by: \.document.root).mapValues { lost in
      lost.compactMap { lost in
        if case .set(let author, let sequence) = lost.subject {
          Identity(document: lost.document.root, author: author, sequence: sequence)
        } else {
          nil
        }
      }
    }
  }

  /// The right places of sets that nothing has taken, by where they lie.
  ///
  /// - Throws: ``InspectionError`` if this device fails.
  func places(_ findings: [Finding]) async throws(InspectionError) -> [RemotePath: RemotePath] {
    // The last come first: they tell the hashes of those before them.
    let wrong = findings.filter { Self.codes.contains($0.code) }.compactMap { RemotePath($0.path) }
      .sorted { Self.sequence($0) > Self.sequence($1) }
    let misplaced = Set(wrong)
    var known: [Identity: ContentHash] = [:]
    var places: [RemotePath: RemotePath] = [:]
    var taken: Set<RemotePath> = []
    // Those that lie together mostly belong together: by their folder, the last one that was found there.
    var lately: [RemotePath: Identity] = [:]
    for path in wrong.prefix(Self.fileLimit) where !Task.isCancelled {
      guard path.names.count > 3, let lying = documents[RemotePath(Array(path.names.prefix(3)))],
        case .set(let name, let author) = FileRole(path: path.names, kind: .file),
        let bytes = try await bytes(path, lying)
      else { continue }
      let named = Identity(document: lying.hierarchy.root, author: author, sequence: name.sequence)
      guard let (found, set, document) = identify(bytes, named, lately[path.parent ?? .root]) else {
        continue
      }
      let hash = ContentHash(of: bytes)
      if !SealedContainer.isSealed(bytes), hash != name.hash, hash != known[found] {
        guard await isExpected(hash, found, document) else { continue }
      }
      let right = document.hierarchy.file(of: SetName(sequence: found.sequence, hash: hash), by: found.author)
      guard right != path, taken.insert(right).inserted, isMissed(found, document, besides: misplaced) else {
        continue
      }
      places[path] = right
      lately[path.parent ?? .root] = found
      known[found.before] = set.previous
    }
    return places
  }

  private static func sequence(_ path: RemotePath) -> UInt64 {
    path.name.flatMap { SetName($0) }?.sequence ?? 0
  }

  /// Whether a head or mention names a set by a hash, or the one after it does.
  private func isExpected(_ hash: ContentHash, _ set: Identity, _ document: DocumentReader) async -> Bool {
    let name = SetName(sequence: set.sequence, hash: hash)
    if document.heads.contains(where: { $0.author == set.author && $0.set == name }) { return true }
    if document.mentions[set.author]?.contains(name) == true { return true }
    let next = document.setsByAuthor[set.author]?.first { $0.name.sequence == set.sequence &+ 1 }
    guard let next, let following = try? await document.read(next) else { return false }
    return following.previous == hash
  }

  private func bytes(
    _ path: RemotePath, _ document: DocumentReader
  ) async throws(InspectionError) -> [UInt8]? {
    do {
      let limit = min(document.application.sizeLimit, SetLimits.fileSize)
      return try await document.application.bytes(at: path, limit: limit)
    } catch {
      if let failure = InspectionError(ofThisDevice: error) { throw failure }
      return nil
    }
  }

  /// Which set a file is, and of which document.
  private func identify(
    _ bytes: [UInt8], _ named: Identity, _ lately: Identity?
  ) -> (Identity, ChangeSet, DocumentReader)? {
    for document in candidates(for: named) {
      if let (identity, set) = identify(bytes, named, lately, document) { return (identity, set, document) }
    }
    return nil
  }

  /// The document in which a file lies, and those of its application in which sets are missing.
  private func candidates(for named: Identity) -> [DocumentReader] {
    let application = documents[named.document]?.hierarchy.application.root
    let others = lost.keys.filter {
      $0 != named.document && documents[$0]?.hierarchy.application.root == application
    }.sorted().prefix(Self.documentLimit)
    return ([named.document] + others).compactMap { documents[$0] }
  }

  private func identify(
    _ bytes: [UInt8], _ named: Identity, _ lately: Identity?, _ document: DocumentReader
  ) -> (Identity, ChangeSet)? {
    let root = document.hierarchy.root
    guard SealedContainer.isSealed(bytes) else {
      guard let content = try? document.openPlainSet(bytes),
        let set = try? ChangeSetFormats.standard.decode(content)
      else { return nil }
      return (Identity(document: root, author: set.author, sequence: set.sequence), set)
    }
    let missing = lost[root] ?? []
    // Mostly one of the two is right, or what is wrong is wrong alike in all files of a folder.
    let own = named.document == root ? [named] : []
    let likely = lately.flatMap { $0.document == root ? $0.at(named.sequence) : nil }.map { [$0] } ?? []
    let related = missing.filter {
      named.document != root || $0.sequence == named.sequence || $0.author == named.author
    }
    for identity in own + likely + related.prefix(Self.tryLimit) {
      guard
        let content = try? document.open(bytes, as: .set(identity.sequence, by: identity.author)),
        let set = try? ChangeSetFormats.standard.decode(content), set.author == identity.author,
        set.sequence == identity.sequence
      else { continue }
      return (identity, set)
    }
    return nil
  }

  /// Whether a set is missing that another file is.
  ///
  /// - Parameter wrong: files that are not what their names say, so that nothing is there because of them.
  private func isMissed(
    _ set: Identity, _ document: DocumentReader, besides wrong: Set<RemotePath>
  ) -> Bool {
    let isThere = document.setsByAuthor[set.author]?.contains {
      $0.name.sequence == set.sequence && !wrong.contains($0.path)
    }
    return isThere != true && set.sequence > document.superseded[set.author] ?? 0
  }
}
