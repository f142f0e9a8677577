import Crypto
import SyncProtocol

/// Findings about which nothing is done, and that what is done about others mends: they are not left to anybody.
extension RepairPlanner {
  /// What is left to a person when all of the plan is done.
  func left() -> [Finding] {
    guard !written.isEmpty || !aside.isEmpty else { return plan.left }
    let coming = Coming(written)
    return plan.left.filter { finding in
      RemotePath(finding.path).map { !isMended(finding.code, $0, coming) } ?? true
    }
  }

  /// Where nothing is done although something is wrong, and why: each a sentence.
  func heldUp() -> [String] {
    let left = plan.left.filter { $0.severity != .hint }
    func isLeft(below root: RemotePath) -> Bool {
      left.contains { $0.path == "\(root)" || $0.path.hasPrefix("\(root)/") }
    }
    let mixed = mixed.sorted().map {
      "Nothing is done in “\($0)”: sets lie there whose author another document names, and not all of them open as those of that document. Compare them with a copy of the remote, and move away what does not belong there; then repair again."
    }
    let doubted = verification.doubted.sorted().filter(isLeft).map {
      "Nothing is done in “\($0)”: files of it contradict each other in whether it is encrypted. Put that right first, as the verification says."
    }
    let unfounded = documents.values.filter { document in
      document.isWithoutRecord && !written.contains { $0.parent == document.hierarchy.integrityKey }
        && isLeft(below: document.hierarchy.root)
    }.map { document in
      let lack =
        document.lacksKeyOfFounding
        ? "the key of its founding is at hand: repair again with its password, or when its file is back"
        : "its founding record is back"
      return
        "In “\(document.hierarchy.root)” no device is asked for anything until \(lack); sets elsewhere that may be of it are left where they lie."
    }
    let former = applications.filter { other != nil && !$0.keysOfFormerPasswords.isEmpty }.map {
      "In “\($0.hierarchy.root)” the password is one of before the keys were replaced: what a newer key seals was not looked at, and no file of keys and no head that may be older is taken from the copy. Repair again with the present password."
    }
    return mixed + doubted + unfounded.sorted() + former.sorted()
  }

  /// What comes, by its place and by its folder.
  private struct Coming {
    let files: Set<RemotePath>
    /// The files and the folders in which they lie, however deep.
    let places: Set<RemotePath>
    let roles: [RemotePath: [FileRole]]

    init(_ written: Set<RemotePath>) {
      files = written
      var places = written
      for path in written {
        var folder = path.parent
        while let next = folder, places.insert(next).inserted { folder = next.parent }
      }
      self.places = places
      roles = Dictionary(grouping: written) { $0.parent ?? .root }
        .mapValues { $0.map { FileRole(path: $0.names, kind: .file) } }
    }

    func hasFounding(in folder: RemotePath) -> Bool {
      roles[folder]?.contains { if case .founding = $0 { true } else { false } } ?? false
    }
  }

  private func isMended(_ code: Finding.Code, _ path: RemotePath, _ coming: Coming) -> Bool {
    switch code {
    case .partMissing:
      guard let node = nodes[path] else { return false }
      return EntryChecks.missingParts(of: node).allSatisfy { name in
        RemoteName(name).map { coming.places.contains(path.appending($0)) } ?? false
      }
    case .noDocument:
      return coming.files.contains { file in
        file.names.starts(with: path.names) && file.parent.map(coming.hasFounding) ?? false
      }
    case .foundingMissing: return coming.hasFounding(in: path)
    case .missingHead: return comesHead(of: path, coming) || isEmptied(path)
    // Whether anybody has written it only the record tells.
    case .forgedName:
      return document(of: path).map { coming.hasFounding(in: $0.hierarchy.integrityKey) } ?? false
    case .keyFileMissing: return application(of: path).map { lackedKeys($0, path, coming).isEmpty } ?? false
    case .wrappedKeyMissing: return comeWrappedKeys(in: path, coming)
    default: return coming.files.contains(path)
    }
  }

  /// Whether an author has a head afterwards: one comes, or the record comes that tells whose the one is that lies there.
  private func comesHead(of folder: RemotePath, _ coming: Coming) -> Bool {
    guard let document = document(of: folder), case .author(let author)? = nodes[folder]?.role else {
      return false
    }
    let isNamed = coming.roles[document.hierarchy.recentSyncs]?.contains { role in
      switch role {
      case .head(let head): head.author == author
      case .mention(let mention): mention.author == author
      default: false
      }
    }
    return isNamed == true
      || document.heads.contains { $0.author == author }
        && coming.hasFounding(in: document.hierarchy.integrityKey)
  }

  /// Whether all sets of an author go: they were another's.
  private func isEmptied(_ folder: RemotePath) -> Bool {
    guard let document = document(of: folder), case .author(let author)? = nodes[folder]?.role else {
      return false
    }
    return (document.setsByAuthor[author] ?? []).allSatisfy { aside.contains($0.path) }
  }

  private func application(of path: RemotePath) -> ApplicationReader? {
    applications.first { path.names.starts(with: $0.hierarchy.root.names) }
  }

  /// The keys of foundings that have no key file when all is done.
  private func lackedKeys(
    _ application: ApplicationReader, _ folder: RemotePath, _ coming: Coming
  ) -> Set<KeyIdentifier> {
    let files = coming.files.filter { $0.parent == folder }.compactMap { $0.name.flatMap { KeyFileName($0) } }
    return application.foundedKeys.subtracting(application.keysWithoutFile)
      .subtracting((application.keyFileNames + files).map(\.key))
  }

  private func comeWrappedKeys(in folder: RemotePath, _ coming: Coming) -> Bool {
    guard let application = application(of: folder) else { return false }
    let names = (coming.roles[folder] ?? []).compactMap { role in
      if case .wrappedKey(let name) = role { name } else { nil as WrappedKeyName? }
    }
    let lost = application.foundedKeys.filter(application.isLost).subtracting(names.map(\.key))
    return lost.isEmpty
      && names.count
        >= verification.findings.count { $0.code == .wrappedKeyMissing && $0.path == folder.description }
  }
}
