import TICDSHTTP
import SyncProtocol

/// Names of the folders in which servers are tested.
enum TestFolderName {
  private static let prefix = "ticds-probe-"

  /// How long a folder must not have changed to be taken for that of a test that was killed: an hour, by the server's clock. No test takes
  /// as long.
  static let abandonedAfter: Int64 = 3_600

  /// A name that nobody else uses.
  static func make() -> String { prefix + String(UInt64.random(in: .min ... .max), radix: 16) }

  static func matches(_ name: String) -> Bool {
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    return name.hasPrefix(prefix) && (1...16).contains(digits.count)
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension ServerProbe {
  /// Folders that are removed at once, at most: the next test goes on.
  private static let abandonedLimit = 100

  /// Removes the folders of tests that were killed. One request, and some for each that is there; nothing depends on it, so that it may fail.
  func removeAbandoned() async {
    guard let found = try? await session.find(Target(.root), depth: 1, versions: false, isPage: true),
      let now = found.now
    else { return }
    let names = found.responses.compactMap { response -> RemoteName? in
      guard response.isFolder, case .child(let name) = Href(response.href, in: found.address),
        TestFolderName.matches(name),
        let modified = response.properties.modified.flatMap(HTTPDate.seconds),
        now - modified > TestFolderName.abandonedAfter
      else { return nil }
      return RemoteName(name)
    }
    for name in names.prefix(Self.abandonedLimit) {
      try? await session.run(RemoveOperation(RemotePath([name])))
    }
  }
}
