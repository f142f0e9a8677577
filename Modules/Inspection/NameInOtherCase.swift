import Crypto
import SyncProtocol

/// A folder of an application whose name is that of another one but for the case of its letters: a replicator, a file system or a person
/// has changed it. All names and files in it are bound to the right one, so that nothing in it would seem genuine.
extension ApplicationReader {
  /// Spellings and records that are compared at most: whoever can write here makes thousands of both.
  private static let (spellingLimit, recordLimit) = (16, 64)

  /// The name that the application's founders knew, if that differs from the folder's in case only.
  ///
  /// - Parameter others: the names of what lies beside the folder.
  func nameInOtherCase(beside others: [String] = []) -> RemoteName? {
    let own = hierarchy.application.description
    let records = foundingNames
    guard !isLocked, !records.isEmpty, let names = try? NameAuthenticator(keys: keys.ring),
      !records.contains(where: { hierarchy.isGenuine($0, names) })
    else { return nil }
    let spellings = [own.lowercased(), own.uppercased(), own.capitalized(of: ".")] + others
    let different = Set(spellings.filter { $0 != own && $0.lowercased() == own.lowercased() }).sorted()
    for name in different.prefix(Self.spellingLimit) {
      guard let name = RemoteName(name) else { continue }
      let hierarchy = ApplicationHierarchy(application: name)
      if records.prefix(Self.recordLimit).contains(where: { hierarchy.isGenuine($0, names) }) { return name }
    }
    return nil
  }

  func finding(inOtherCase name: RemoteName) -> Finding {
    Finding(
      .nameInOtherCase, path: hierarchy.root.description,
      message:
        "The folder is called “\(hierarchy.application)”, and devices look for “\(name)”, which differs in the case of its letters only. Where storage tells them apart, they do not find it. Nothing in it was looked at.",
      next: "Rename it to “\(name)”, then verify again. Do not refill: that makes a second folder.")
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

extension String {
  /// The same with a capital at the beginning of each part.
  fileprivate func capitalized(of separator: Character) -> String {
    split(separator: separator, omittingEmptySubsequences: false).map { part in
      part.prefix(1).uppercased() + part.dropFirst()
    }.joined(separator: String(separator))
  }
}
