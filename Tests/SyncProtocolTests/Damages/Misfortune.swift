import Foundation
import Inspection
import SyncProtocol

/// What becomes of a file on storage that means no harm, by the words of `Docs/Damages.md`.
enum Misfortune: String, CaseIterable, Sendable {
  case removed, emptied, cut
  /// One bit in the middle is another.
  case flipped
  /// It holds what another of its kind holds, or the text for people.
  case exchanged
  /// What lay there before lies there again.
  case older
  /// It lies there a second time, under a name that differs in one character.
  case duplicated
  case renamed
  /// A folder lies in its place.
  case folder
  /// The storage does not deliver it.
  case unreadable
}

extension AttackRemote {
  /// A name that differs in one character, and is one of ours all the same where digits are drawn at random.
  private static func altered(_ path: String) -> String {
    var names = path.split(separator: "/").map(String.init)
    guard let last = names.popLast(), let first = last.first else { return path }
    let altered =
      first.isHexDigit && last.contains(/[0-9a-f]{10}/)
      ? (first == "0" ? "1" : "0") + last.dropFirst() : "x" + last
    return (names + [altered]).joined(separator: "/")
  }

  /// The file of a kind that something happens to: of foundings that of the first device, for their names are drawn at random.
  func target(_ file: AttackedFile) -> String? {
    let targets = targets(file)
    return targets.first { bytes($0)?.range(of: Data("device-a".utf8)) != nil } ?? targets.first
  }

  /// Lets something happen to a file.
  ///
  /// - Returns: whether there was anything that could happen.
  func befall(_ path: String, _ misfortune: Misfortune, _ stage: AttackStage) throws -> Bool {
    guard let bytes = bytes(path) else { return false }
    let role = Self.role(of: path)
    switch misfortune {
    case .removed: try remove(path)
    case .emptied:
      guard !bytes.isEmpty else { return false }
      try write([], to: path)
    case .cut:
      guard !bytes.isEmpty else { return false }
      try write(bytes.prefix(bytes.count / 2), to: path)
    case .flipped:
      guard !bytes.isEmpty else { return false }
      var flipped = [UInt8](bytes)
      flipped[flipped.count / 2] ^= 1
      try write(flipped, to: path)
    case .exchanged:
      let other = files.first {
        $0 != path && Self.role(of: $0) == role && self.bytes($0).map { $0 != bytes && !$0.isEmpty } ?? false
      }
      let text = "com.example.notes/ReadMe.txt"
      let spare = path == text ? files.first { Self.role(of: $0) == .deviceInformation } : text
      guard let content = (other ?? spare).flatMap({ self.bytes($0) }) else { return false }
      try write(content, to: path)
    case .older: return try goBack(path, bytes, role, stage)
    case .duplicated: try write(bytes, to: Self.altered(path))
    case .renamed:
      try remove(path)
      try write(bytes, to: Self.altered(path))
    case .folder:
      try remove(path)
      try FileManager.default.createDirectory(at: place(path), withIntermediateDirectories: false)
    case .unreadable: break
    }
    return true
  }

  private func goBack(
    _ path: String, _ bytes: Data, _ role: AttackedFile?, _ stage: AttackStage
  ) throws -> Bool {
    // A long value that was sealed twice is the same.
    if role != .longValue, let old = stage.archive[path], old != bytes {
      try write(old, to: path)
      return true
    }
    // Heads alone have a successor under another name.
    let author = path.prefix { $0 != "." }
    guard role == .head,
      let old = stage.archive.keys.filter({
        $0 < path && $0.hasPrefix(author) && $0.hasSuffix(".head") && !exists($0)
      }).max(), let former = stage.archive[old]
    else { return false }
    try remove(path)
    try write(former, to: old)
    return true
  }
}
