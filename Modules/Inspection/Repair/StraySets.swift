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

  /// Of each that its right document opens, the place where it belongs, by where it lies; `nil` where nobody misses it there: what was said
  /// again since, or removed because whole stores contain it.
  ///
  /// - Throws: ``InspectionError`` if this device fails.
  func places() async throws(InspectionError) -> [RemotePath: RemotePath?] {
    var places: [RemotePath: RemotePath?] = [:]
    var floors: [RemotePath: VersionVector] = [:]
    for document in documents.values {
      for (author, hierarchy) in document.strayAuthors() {
        guard let owner = documents[hierarchy.root] else { continue }
        let floor: VersionVector
        if let known = floors[hierarchy.root] { floor = known } else { floor = await owner.floor() }
        floors[hierarchy.root] = floor
        let passed = max(owner.superseded[author] ?? 0, floor[author])
        for file in document.setsByAuthor[author] ?? [] {
          if Task.isCancelled { return places }
          guard try await owner.isOwn(file) else { continue }
          let isMissed = file.name.sequence > passed
          places.updateValue(isMissed ? hierarchy.file(of: file.name, by: author) : nil, forKey: file.path)
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

  /// Whether of all sets here whose authors other documents name it is known where they belong.
  ///
  /// - Parameter misnamed: sets that other authors have written, whose right places are known as well.
  func areStraysFound(_ places: [RemotePath: RemotePath?], besides misnamed: [RemotePath: RemotePath]) -> Bool
  {
    let elsewhere = authorsNamedElsewhere()
    return setsByAuthor.allSatisfy { author, files in
      newestHeads[author] != nil || elsewhere[author] == nil
        || files.allSatisfy { places[$0.path] != nil || misnamed[$0.path] != nil }
    }
  }
}
