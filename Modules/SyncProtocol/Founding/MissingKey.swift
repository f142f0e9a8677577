import Crypto

/// A key that other devices write with and that is not at hand.
public struct MissingKey: Hashable, Comparable, Sendable {
  /// The key.
  public let identifier: KeyIdentifier
  /// Whether a member has put it in the place of a key at hand (``ApplicationSyncManager/replaceKeys(password:)``); otherwise others
  /// have founded with it while this device was apart from them.
  public let isReplacement: Bool
  /// The file of the key if it is none any more, being damaged or not there in full, so that no password opens it; `nil` if it is one, and
  /// where none lies there.
  public internal(set) var unreadableFile: KeyFileName?

  init(_ identifier: KeyIdentifier, isReplacement: Bool = false, unreadableFile: KeyFileName? = nil) {
    self.identifier = identifier
    self.isReplacement = isReplacement
    self.unreadableFile = unreadableFile
  }

  /// Orders by identifier.
  public static func < (one: MissingKey, other: MissingKey) -> Bool {
    one.identifier.description < other.identifier.description
  }

  // MARK: As a text

  private static let mark = "+"
  private static let fileMark: Character = "~"

  init?(text: some StringProtocol) {
    let isReplacement = text.hasPrefix(Self.mark)
    let parts = text.dropFirst(isReplacement ? 1 : 0).split(
      separator: Self.fileMark, maxSplits: 1, omittingEmptySubsequences: false)
    guard let identifier = parts.first.flatMap({ KeyIdentifier(digits: $0) }) else { return nil }
    let file = parts.dropFirst().first.flatMap { RemoteName(String($0)) }.flatMap { KeyFileName($0) }
    self.init(identifier, isReplacement: isReplacement, unreadableFile: file)
  }

  var text: String {
    (isReplacement ? Self.mark : "") + identifier.description
      + (unreadableFile.map { "\(Self.fileMark)\($0.name)" } ?? "")
  }
}
