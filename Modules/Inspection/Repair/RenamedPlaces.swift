import SyncProtocol

extension Verification {
  /// Where folders belong that lie under another name: nothing is made there, for a person is to rename what they are.
  func renamedPlaces(_ nodes: [RemotePath: RemoteNode]) -> [RemotePath] {
    let misnamed = misnamed.filter { !$0.isCopy }.map(\.rightPlace).filter { nodes[$0] == nil }
    let inOtherCase = findings.compactMap { finding -> RemotePath? in
      guard finding.code == .nameInOtherCase, let path = RemotePath(finding.path),
        nodes[path]?.isFolder == true,
        let folder = path.parent, let name = path.name,
        let right = OurNames.inRightCase(name.description, .folder, in: folder)
      else { return nil }
      let place = folder.appending(right)
      return nodes[place] == nil ? place : nil
    }
    return misnamed + inOtherCase + placesOfMoved(nodes)
  }

  /// Has what is said of missing parts lead to what is said of folders that they may be: no repair makes one in their place.
  mutating func adviseOnMovedParts(of tree: RemoteNode) {
    let moved = movedParts
    guard !moved.isEmpty else { return }
    let nodes = Dictionary(tree.all.compactMap { node in node.path.map { ($0.description, node) } }) { $1 }
    for (index, finding) in findings.enumerated() where finding.code == .partMissing {
      let missing = nodes[finding.path].map(EntryChecks.missingParts) ?? []
      let places = moved.filter { _, names in !names.isDisjoint(with: missing) }.map(\.path).sorted()
      guard let place = places.first else { continue }
      findings[index] = Finding(
        .partMissing, path: finding.path, message: finding.message,
        next: "First do what is said of “\(place)”, which may be what is missing; then verify again.")
    }
  }

  /// Folders that were moved or renamed, with the names of parts that they may be.
  private var movedParts: [(path: String, names: Set<String>)] {
    let parts = Dictionary(misnamed.map { ($0.root.description, $0.parts) }) { $1 }
    return findings.filter { $0.code == .folderMoved }.compactMap { finding in
      guard let name = RemotePath(finding.path, .classic)?.name?.description else { return nil }
      return (finding.path, Set([name] + OurNames.formerParts(name)).union(parts[finding.path] ?? []))
    }
  }

  /// Where parts belong that lie elsewhere, or under a name with something added: of several documents that lack one of the name, any may be meant.
  private func placesOfMoved(_ nodes: [RemotePath: RemoteNode]) -> [RemotePath] {
    let moved = movedParts.reduce(into: Set<String>()) { $0.formUnion($1.names) }
    guard !moved.isEmpty else { return [] }
    return nodes.values.flatMap { node -> [RemotePath] in
      guard let path = node.path else { return [] }
      return EntryChecks.missingParts(of: node).filter(moved.contains).compactMap { RemoteName($0) }
        .map { path.appending($0) }
    }
  }
}

extension RepairPlanner {
  /// Whether a folder that is not there is, under a name that differs in case only.
  func isInOtherCase(_ root: RemotePath) -> Bool {
    let name = root.description.lowercased()
    return nodes.contains { path, node in
      path.names.count == 1 && node.isFolder && path != root && path.description.lowercased() == name
    }
  }
}
