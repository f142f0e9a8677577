import SyncProtocol

/// Sets that lie where they do not belong: what their content proves decides where they go.
extension RepairPlanner {
  /// Renames a set to what its content proves, where nothing else is wrong with it.
  mutating func rename(_ path: RemotePath, _ finding: Finding) -> Bool {
    guard let right = misnamedSets[path], nodes[right] == nil, !isBlocked(right), !isBlocked(path) else {
      return false
    }
    add(
      RepairAction(
        path: right, change: .write(.copy(of: path)),
        reason: "Its content tells that this is its place; it lies under another name."))
    putAside(path, finding.message)
    noteReplaced(path)
    return true
  }

  /// Notes that the set is lost as which a file was named that is another one, unless it is there under another hash.
  private mutating func noteReplaced(_ path: RemotePath) {
    guard let document = document(of: path), case .set(let name, let author)? = nodes[path]?.role,
      !(document.setsByAuthor[author] ?? []).contains(where: {
        $0.name.sequence == name.sequence && $0.path != path && !verification.unusable.contains($0.path)
      })
    else { return }
    lost.append(.init(document: document.hierarchy, subject: .set(author: author, sequence: name.sequence)))
  }

  /// Moves sets that lie in another document to where they belong. None of its devices can use them, and whoever joins would wait for them.
  mutating func restoreStraySets() {
    guard !straySets.isEmpty else { return }
    let faulty = Set(verification.findings.map(\.path))
    for (path, place) in straySets.sorted(by: { $0.key < $1.key }) {
      if let place, nodes[place] == nil || aside.contains(place) && misnamedSets[place] == nil {
        add(
          RepairAction(
            path: place, change: .write(.copy(of: path)),
            reason: "It belongs here, and lies where the folder of its author was moved to."))
      }
      // What lies here may be all that is left of it.
      let isSafe = place.map { written.contains($0) || nodes[$0] != nil && !faulty.contains("\($0)") } ?? true
      if isSafe { putAside(path, "It belongs to another document, and no device of this one can use it.") }
    }
  }

  /// Whether the founding record of another document of the application is missing.
  func isAnyWithoutRecord(besides path: RemotePath) -> Bool {
    documents.values.contains { document in
      document.isWithoutRecord && !path.names.starts(with: document.hierarchy.root.names)
        && path.names.starts(with: document.hierarchy.application.root.names)
    }
  }

  /// Whether another file of the same key opens: devices put lost ones back under names of their own.
  func isKeyOpened(besides path: RemotePath) -> Bool {
    guard let name = path.name.flatMap({ KeyFileName($0) }),
      let application = applications.first(where: { path.names.starts(with: $0.hierarchy.root.names) })
    else { return false }
    return application.isOpened(byAnotherThan: name)
  }
}
