import SyncProtocol

/// The notes in an application's folder that documents were deleted.
struct DeletionNotes {
  typealias Note = (name: DeletionName, path: RemotePath)

  /// All of them, whichever document they are of.
  let all: [Note]
  private let byFounding: [IntegrityKey: [Note]]
  private let names: NameAuthenticator?

  init(_ reader: ApplicationReader) {
    let notes: [Note] = reader.entries.compactMap { node in
      guard node.role == .deletion, let path = node.path, let name = path.name.flatMap({ DeletionName($0) })
      else { return nil }
      return (name, path)
    }
    all = notes
    byFounding = Dictionary(grouping: notes, by: \.name.founding)
    names = reader.isLocked ? nil : try? NameAuthenticator(keys: reader.keys.ring)
  }

  /// Those of one founding, genuine or not.
  func notes(of founding: IntegrityKey) -> [Note] { byFounding[founding] ?? [] }

  /// Whether somebody who has the keys at hand has deleted what was founded so; without encryption it may have been anybody.
  func isDeleted(_ founding: IntegrityKey, of hierarchy: DocumentHierarchy) -> Bool {
    guard let names else { return false }
    return notes(of: founding).contains { hierarchy.isGenuine($0.name, names) }
  }
}

extension ApplicationReader {
  /// Whose documents were deleted, as far as the names of notes tell: nobody need have the keys.
  var deletedFoundings: Set<IntegrityKey> { Set(deletions.map(\.founding)) }
}
