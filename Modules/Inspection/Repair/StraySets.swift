import ChangeTracking
import SyncProtocol

/// Finds sets that lie in a document to which they do not belong: the folder of their author was moved, or copied, from another one of the
/// application, which names him and opens them as its own.
struct StraySets {
  private let documents: [RemotePath: DocumentReader]

  init(_ applications: [ApplicationReader]) {
    documents = Dictionary(applications.flatMap(\.documents).map { ($0.hierarchy.root, $0) }) { first, _ in
      first
    }
  }

  /// The places where they belong and are not, by where they lie.
  ///
  /// - Throws: ``InspectionError`` if this device fails.
  func places() async throws(InspectionError) -> [RemotePath: RemotePath] {
    var places: [RemotePath: RemotePath] = [:]
    for document in documents.values {
      for (author, hierarchy) in document.strayAuthors() {
        guard let owner = documents[hierarchy.root] else { continue }
        let present = Set((owner.setsByAuthor[author] ?? []).map(\.name))
        for file in document.setsByAuthor[author] ?? []
        where !present.contains(file.name) && file.name.sequence > owner.superseded[author] ?? 0 {
          if Task.isCancelled { return places }
          guard try await owner.isOwn(file) else { continue }
          places[file.path] = hierarchy.file(of: file.name, by: author)
        }
      }
    }
    return places
  }
}

extension DocumentReader {
  /// Whether a file, wherever it lies, is the set of the document as which it is named.
  fileprivate func isOwn(_ file: SetFile) async throws(InspectionError) -> Bool {
    do {
      let set = try await read(file)
      return set.author == file.author && set.sequence == file.name.sequence
    } catch {
      if case .storage(let error) = error, let failure = InspectionError(ofThisDevice: error) {
        throw failure
      }
      return false
    }
  }
}
