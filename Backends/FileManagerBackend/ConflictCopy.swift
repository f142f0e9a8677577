#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A second version of a file that a replicator has put beside it because two devices wrote the name at once.
///
/// Nothing of ours is ever written twice under a name with different bytes, so such a copy carries no news, but it tells of
/// somebody who interferes. Those whose names keep to the grammar of `RemoteName` and can be told from ours are reported as
/// foreign, like those that do not keep to it.
public struct ConflictCopy: Hashable, Sendable {
  /// Who makes such names.
  public enum Replicator: String, Hashable, Sendable, CaseIterable {
    /// `name (Anna's conflicted copy 2024-01-31).ext`
    case dropbox = "Dropbox"
    /// `name.sync-conflict-20240131-093612-ABCDEFG.ext`
    case syncthing = "Syncthing"
    /// `name-LAPTOP.ext`; it cannot be told from a name of ours unless `name.ext` is there too.
    case oneDrive = "OneDrive"
    /// `name (conflicted copy 2024-01-31 093612).ext`, formerly `name_conflict-20240131-093612.ext`
    case nextcloud = "Nextcloud"
    /// `name.Conflict.ext`, and `name.Conflict1.ext` for further ones
    case resilio = "Resilio Sync"
  }

  /// Who made it.
  public let replicator: Replicator
  /// The name of the file that it is a version of.
  public let original: String

  /// Recognises the name of a conflict copy.
  ///
  /// - Parameters:
  ///   - name: a name of a file, as the storage spells it.
  ///   - siblings: the other names in the folder; OneDrive's copies are recognised only beside their originals.
  public init?(_ name: String, beside siblings: Set<String> = []) {
    guard name.utf8.count <= 1_024, let match = Self.match(name) ?? Self.oneDrive(name, siblings) else {
      return nil
    }
    self = match
  }

  private init(_ replicator: Replicator, _ parts: [Substring]) {
    self.replicator = replicator
    original = parts.joined()
  }

  private static func match(_ name: String) -> ConflictCopy? {
    // All of them say so. Looking for the word first takes a hundredth of the time, in folders of thousands of files.
    guard strstr(name, "onflict") != nil else { return nil }
    if let match = name.wholeMatch(
      of: /(.+)\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-[A-Z0-9]{7})?(\.[^.]*)?/)
    {
      return ConflictCopy(.syncthing, [match.1, match.2 ?? ""])
    }
    if let match = name.wholeMatch(
      of: /(.+) \(conflicted copy [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{6}\)(\.[^.]*)?/)
    {
      return ConflictCopy(.nextcloud, [match.1, match.2 ?? ""])
    }
    if let match = name.wholeMatch(of: /(.+)_conflict-[0-9]{8}-[0-9]{6}(\.[^.]*)?/) {
      return ConflictCopy(.nextcloud, [match.1, match.2 ?? ""])
    }
    if let match = name.wholeMatch(
      of: /(.+) \([^()]*(?:conflicted copy|Case Conflict|Selective Sync Conflict)[^()]*\)(\.[^.]*)?/)
    {
      return ConflictCopy(.dropbox, [match.1, match.2 ?? ""])
    }
    if let match = name.wholeMatch(of: /(.+?)(?:\.Conflict[0-9]*)+(\.[^.]*)?/) {
      return ConflictCopy(.resilio, [match.1, match.2 ?? ""])
    }
    return nil
  }

  private static func oneDrive(_ name: String, _ siblings: Set<String>) -> ConflictCopy? {
    if siblings.isEmpty { return nil }
    // Cut at every hyphen: the name of a device may have some itself.
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    for hyphen in name[..<dot].indices where name[hyphen] == "-" && hyphen != name.startIndex {
      let original = name[..<hyphen] + name[dot...]
      if siblings.contains(String(original)), name.index(after: hyphen) < dot {
        return ConflictCopy(.oneDrive, [original])
      }
    }
    return nil
  }
}
