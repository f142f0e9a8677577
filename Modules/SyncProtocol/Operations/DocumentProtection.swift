import ChangeTracking
import Crypto

/// Seals and opens the files of one document, and makes and checks the names that carry a code.
///
/// Files are sealed for the founding that this device is a member of, and opened if they are of any founding that belongs to the document.
package struct DocumentProtection: Sendable {
  package let hierarchy: DocumentHierarchy
  /// The foundings that are one document, this device's own first. More than one if several devices created it while apart.
  package let foundings: [IntegrityKey]
  /// Foundings of the same name that were deleted: what was written for them is told from what nobody known here has written.
  package let deleted: [IntegrityKey]
  package let files: any FileProtection
  package let names: NameAuthenticator

  package init(
    keys: KeyRing?, hierarchy: DocumentHierarchy, own: IntegrityKey, others: [IntegrityKey] = [],
    deleted: [IntegrityKey] = [], secrets: any RandomSource = .system
  ) throws(CryptoError) {
    self.hierarchy = hierarchy
    foundings = [own] + others.filter { $0 != own }
    self.deleted = deleted
    let marks = foundings.map { DocumentMark(hierarchy, of: $0) }
    files = fileProtection(with: keys, marks: marks, secrets: secrets)
    names = try NameAuthenticator(keys: keys)
  }

  /// The keys; `nil` if the document is not encrypted.
  package var keys: KeyRing? { files.keys }

  package func seal(_ plain: [UInt8], as file: DocumentFile) throws(CryptoError) -> [UInt8] {
    try files.seal(plain, as: file.context(in: hierarchy, foundings[0]))
  }

  package func open(_ bytes: [UInt8], as file: DocumentFile) throws -> [UInt8] {
    var failure: (any Error)?
    for founding in foundings {
      do {
        return try files.open(bytes, as: file.context(in: hierarchy, founding))
      } catch let error as CryptoError where error.code == .authenticationFailed {
        failure = failure ?? error
      }
    }
    throw failure ?? CryptoError(.authenticationFailed, "it belongs to no founding of the document")
  }

  /// The name of a head of this device.
  func head(author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash?) -> HeadName {
    let statement = HeadName.statement(author: author, sequence: sequence, seen: seen, hash: hash)
    return HeadName(
      author: author, sequence: sequence, seen: seen, hash: hash, code: code(HeadName.self, statement))
  }

  /// The name of a request of this device.
  package func request(asker: AuthorID, subject: ResendRequest.Subject, count: Int) -> ResendRequest {
    let statement = ResendRequest.statement(asker: asker, subject: subject, count: count)
    return ResendRequest(
      asker: asker, subject: subject, count: count, code: code(ResendRequest.self, statement))
  }

  /// The name by which this device names a set that no head leads to.
  package func mention(author: AuthorID, set: SetName) -> Mention {
    Mention(
      author: author, set: set, code: code(Mention.self, Mention.statement(author: author, set: set)))
  }

  /// The name by which this device says whose sets are superseded.
  package func supersession(
    author: AuthorID, restated: UInt64, former: AuthorID, through: UInt64
  ) -> Supersession {
    let statement = Supersession.statement(
      author: author, restated: restated, former: former, through: through)
    return Supersession(
      author: author, restated: restated, former: former, through: through,
      code: code(Supersession.self, statement))
  }

  /// The name by which this device says below which sets nothing needs to lie there.
  package func floor(author: AuthorID, _ phase: HistoryFloor.Phase, _ content: [UInt8], total: UInt64)
    -> HistoryFloor
  {
    let hash = ContentHash(of: content)
    let statement = HistoryFloor.statement(author: author, phase: phase, total: total, hash: hash)
    return HistoryFloor(
      author: author, phase: phase, total: total, hash: hash, code: code(HistoryFloor.self, statement))
  }

  /// The name by which this device writes down that another was away for too long.
  func absence(of author: AuthorID) -> AbsenceName {
    AbsenceName(author: author, code: code(AbsenceName.self, author.description))
  }

  /// The name by which this device says that another was removed.
  package func removal(of author: AuthorID) -> RemovalName {
    RemovalName(author: author, code: code(RemovalName.self, author.description))
  }

  /// The name by which this device says what the device of an author is called.
  package func renaming(author: AuthorID, time: UInt64) -> RenamingName {
    let statement = RenamingName.statement(author: author, time: time)
    return RenamingName(author: author, time: time, code: code(RenamingName.self, statement))
  }

  /// The name of a whole store that this device has made.
  package func wholeStore(
    author: AuthorID, sequence: UInt64, seen: UInt64, _ file: WholeStoreWriter.Written
  ) -> WholeStoreName {
    let size = WholeStoreName.SizeClass(of: file.size)
    let statement = WholeStoreName.statement(
      author: author, sequence: sequence, seen: seen, hash: file.hash, size: size)
    return WholeStoreName(
      author: author, sequence: sequence, seen: seen, hash: file.hash, size: size,
      code: code(WholeStoreName.self, statement))
  }

  private func code(_ kind: (some CodedName).Type, _ statement: String) -> NameCode {
    names.code(hierarchy.statement(kind.purpose, statement, of: foundings[0]))
  }

  /// Whether a member of the document has written a name.
  package func verifies(_ name: some CodedName) -> Bool { verifies(name, as: foundings) }

  private func verifies(_ name: some CodedName, as foundings: [IntegrityKey]) -> Bool {
    foundings.contains { names.verifies(name.code, hierarchy.statement(name, of: $0)) }
  }

  /// What one listing of the folder of heads says.
  package func heads(_ listing: RemoteListing, isCut: Bool = false) -> HeadListing {
    var heads = HeadListing(listing) { verifies($0) }
    heads.isCut = isCut
    if !deleted.isEmpty { heads.setApart { verifies($0, as: deleted) } }
    return heads
  }
}
