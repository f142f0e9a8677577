import ChangeTracking
import SyncProtocol

/// What lies in the folder of a document and is of deleted ones that had its name: storage has put it back, or it was never removed. Devices
/// ignore it, and so does whoever reads the document.
struct DocumentRemains: Sendable {
  /// The deleted foundings of that name; empty where no other has it now, for then they are all that lies there.
  let foundings: [IntegrityKey]
  private let names: Set<RemotePath>
  private let authors: Set<AuthorID>

  /// Notes of deletions that are compared, and foundings, at most: whoever can write there makes any number of both.
  private static let (noteLimit, foundingLimit) = (64, 16)

  /// - Parameters:
  ///   - genuine: the foundings of the document whose records lie there.
  ///   - entries: all that lies there but sets.
  init(
    of hierarchy: DocumentHierarchy, _ genuine: [IntegrityKey], _ entries: [RemoteNode],
    _ application: ApplicationReader
  ) {
    let deleted = Self.deleted(of: hierarchy, genuine, application)
    let living = genuine.filter { !deleted.contains($0) }
    guard !deleted.isEmpty,
      let own = Self.protection(of: hierarchy, living, application),
      let other = Self.protection(of: hierarchy, deleted, application)
    else {
      (self.foundings, self.names, self.authors) = ([], [], [])
      return
    }
    var names: Set<RemotePath> = []
    var (authors, members): (Set<AuthorID>, Set<AuthorID>) = ([], [])
    for node in entries {
      guard let name = node.codedName, let path = node.path else { continue }
      if own.verifies(name) {
        members.formUnion(name.authors)
      } else if other.verifies(name) {
        names.insert(path)
        authors.formUnion(name.authors)
      }
    }
    (self.foundings, self.names, self.authors) = (deleted, names, authors.subtracting(members))
  }

  private static func deleted(
    of hierarchy: DocumentHierarchy, _ genuine: [IntegrityKey], _ application: ApplicationReader
  ) -> [IntegrityKey] {
    let notes = application.deletions
    guard !notes.isEmpty, !genuine.isEmpty, !application.isLocked,
      let names = try? NameAuthenticator(keys: application.keys.ring)
    else { return [] }
    let own = Set(genuine)
    let candidates =
      notes.filter { own.contains($0.founding) } + notes.filter { !own.contains($0.founding) }
    let found = candidates.prefix(noteLimit).filter { hierarchy.isGenuine($0, names) }.map(\.founding)
    return Array(found.prefix(foundingLimit))
  }

  private static func protection(
    of hierarchy: DocumentHierarchy, _ foundings: [IntegrityKey], _ application: ApplicationReader
  ) -> DocumentProtection? {
    foundings.first.flatMap { first in
      try? DocumentProtection(
        keys: application.keys.ring, hierarchy: hierarchy, own: first, others: Array(foundings.dropFirst()))
    }
  }

  /// Whether nothing lies there of them that its name tells of.
  var isEmpty: Bool { names.isEmpty }

  /// Whether something is of them: a name among the heads, a whole store, or the sets of an author whom these name.
  func contains(_ node: RemoteNode) -> Bool {
    switch node.role {
    case .author(let author), .set(_, let author): authors.contains(author)
    default: node.path.map(names.contains) ?? false
    }
  }
}
