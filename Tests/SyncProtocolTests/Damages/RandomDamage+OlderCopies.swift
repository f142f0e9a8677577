import ByteFixtures
import Foundation

/// Folders that somebody renamed, or that a replicator put aside, with what was there before in their place.
extension RandomDamage {
  /// What copies, backups and replicators make of a name.
  private static let endings = [" (1)", ".old", "~", "2", " copy", ".sync-conflict-20260101-120000-ABCDEFG"]

  /// Renames a folder, and puts a copy in its place that has less: an author's last sets, or any others, are not in it.
  ///
  /// - Returns: the folder and its new name; `nil` if that is taken.
  @discardableResult
  static func leaveOlder(
    on remote: AttackRemote, _ random: inout SeededGenerator
  ) throws -> (folder: String, renamed: String)? {
    let folders = Set(
      remote.files.filter { $0.hasSuffix(".set") }.flatMap { path in
        let names = path.split(separator: "/").dropLast()
        return names.indices.map { names[...$0].joined(separator: "/") }
      })
    guard let folder = folders.sorted().randomElement(using: &random),
      let ending = endings.randomElement(using: &random)
    else { return nil }
    let renamed = folder + ending
    guard !remote.exists(renamed), !FileManager.default.fileExists(atPath: remote.place(renamed).path) else {
      return nil
    }
    try FileManager.default.moveItem(at: remote.place(folder), to: remote.place(renamed))
    // One set is in the renamed folder alone, whatever else is.
    let files = remote.files.filter { $0.hasPrefix(renamed + "/") }.sorted()
    let last = files.last { $0.hasSuffix(".set") }
    for path in files where path != last && Int.random(in: 0..<6, using: &random) > 0 {
      guard let bytes = remote.bytes(path) else { continue }
      try remote.write(bytes, to: folder + path.dropFirst(renamed.count))
    }
    return (folder, renamed)
  }
}
