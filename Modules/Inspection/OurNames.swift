import SyncProtocol

/// Recognises names of ours where they do not lie as they should: in other case, with something added, in another folder.
enum OurNames {
  private static let fixed = Dictionary(
    (ApplicationHierarchy.folderNames + DocumentHierarchy.folderNames + [
      "LongValues", "DeletedDocuments", "documentInfo.plist", "deviceInfo.plist",
    ]).map { ($0.lowercased(), $0) }
  ) { first, _ in first }

  /// The name that devices look for in a folder, and from which another differs in case only; `nil` if there is none.
  static func inRightCase(
    _ name: String, _ kind: RemoteEntry.Kind, in folder: RemotePath
  ) -> RemoteName? {
    let small = name.lowercased()
    return [fixed[small] ?? small, small].compactMap { RemoteName($0) }.first { right in
      guard right.description != name else { return false }
      switch FileRole(path: folder.appending(right).names, kind: kind) {
      // What people and applications choose is in no case of its own.
      case .foreign, .application, .document, .client, .serverTest, .deletion, .readMe: return false
      default: return true
      }
    }
  }

  /// Whether a name is that of a file of ours, wherever that lies.
  static func isOne(_ name: RemoteName) -> Bool {
    let small = RemoteName(name.description.lowercased()) ?? name
    return [name, small].contains { name in
      ["deviceInfo.plist", "documentInfo.plist"].contains(name.description) || isRecord(name)
        || SetName(name) != nil || HeadName(name) != nil || LongValueName(name) != nil
        || WholeStoreName(name) != nil || KeyFileName(name) != nil || WrappedKeyName(name) != nil
        || WithdrawalName(name) != nil
    }
  }

  /// Whether it is one of the small files whose names say all.
  private static func isRecord(_ name: RemoteName) -> Bool {
    FoundingName(name) != nil || AcceptanceName(name) != nil || ResendRequest(name) != nil
      || Supersession(name) != nil || Mention(name) != nil || HistoryFloor(name) != nil
      || RemovalName(name) != nil || RenamingName(name) != nil || DeletionName(name) != nil
      || AbsenceName(name) != nil
  }

  /// The path that a name tells whose folders stand before a file of ours with backslashes between them; `nil` if it tells none.
  static func placeWrittenWithBackslashes(_ name: String) -> String? {
    let parts = name.split(separator: "\\")
    guard name.utf8.count <= 1_024, parts.count > 1, let last = parts.last.flatMap({ RemoteName($0) }),
      isOne(last)
    else { return nil }
    return parts.joined(separator: "/")
  }

  // MARK: Names with something added

  /// The file of ours whose name a foreign one bears with something added or in other case, as folder replicators do with copies in
  /// conflict, programs with what they transfer or edit, and people with what they keep.
  static func original(_ name: String, in folder: RemotePath) -> RemoteName? {
    guard name.utf8.count <= 1_024 else { return nil }
    if let right = inRightCase(name, .file, in: folder) { return right }
    return (withWordsInside(name) + withWordsAround(name)).first {
      switch FileRole(path: folder.appending($0).names, kind: .file) {
      case .foreign: false
      // Their folders alone would take any name for one.
      case .deletion: DeletionName($0) != nil || AbsenceName($0) != nil
      default: true
      }
    }
  }

  /// Replicators put their words between the name and what follows its last dot, so what stands before each sign that may begin them
  /// is tried.
  private static func withWordsInside(_ name: String) -> [RemoteName] {
    guard let dot = name.lastIndex(of: ".") else { return [] }
    return name[..<dot].indices.filter { " .-_".contains(name[$0]) }.compactMap {
      RemoteName("\(name[..<$0])\(name[dot...])")
    }
  }

  /// What transfer programs put before and behind a name.
  private static func withWordsAround(_ name: String) -> [RemoteName] {
    let starts =
      [name[...]]
      + [".syncthing.", "~syncthing~", ".~", ".#", "~$", ".", "~"]
      .filter { name.hasPrefix($0) }.map { name.dropFirst($0.count) }
    return starts.flatMap { rest in
      rest.indices.dropFirst().filter { ".~ -_".contains(rest[$0]) }.compactMap { RemoteName(rest[..<$0]) }
        + [RemoteName(rest)].compactMap { $0?.description == name ? nil : $0 }
    }
  }

  /// The file of ours for which a placeholder stands that iCloud shows until it is downloaded.
  static func notDownloaded(_ name: String, in folder: RemotePath) -> RemoteName? {
    guard name.hasPrefix("."), name.hasSuffix(".icloud"),
      let original = RemoteName(name.dropFirst().dropLast(".icloud".count)),
      FileRole(path: folder.appending(original).names, kind: .file) != .foreign
    else { return nil }
    return original
  }

  // MARK: Folders

  /// What a folder may have been called before somebody or something gave it another name: in other case, or with something added as
  /// copies, downloads and backups have.
  ///
  /// - Parameter others: the names of what lies beside it.
  static func former(_ name: String, beside others: [String], limit: Int) -> [RemoteName] {
    let small = name.lowercased()
    let cases =
      [small, name.uppercased(), capitalized(name)]
      + others.filter { $0 != name && $0.lowercased() == small }.sorted()
    let ends = name.indices.dropFirst().filter { " .-_(~[#".contains(name[$0]) }.reversed()
    var shortened = ends.map { String(name[..<$0]) }
    let digits = name.reversed().prefix { $0.isNumber }.count
    if digits > 0 { shortened.insert(String(name.dropLast(digits)), at: 0) }
    for space in name.indices where name[space] == " " {
      shortened.append(String(name[name.index(after: space)...]))
    }
    var seen: Set<String> = [name]
    return (cases + shortened).filter { seen.insert($0).inserted }.compactMap { RemoteName($0) }
      .prefix(limit).map { $0 }
  }

  /// The folders or files of fixed names that a folder may have been, the likeliest first.
  static func formerParts(_ name: String) -> [String] {
    former(name, beside: [], limit: 32).map(\.description).filter { fixed[$0.lowercased()] == $0 }
  }

  /// The same with a capital at the beginning of each part.
  private static func capitalized(_ name: String) -> String {
    name.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.prefix(1).uppercased() + part.dropFirst()
    }.joined(separator: ".")
  }
}
