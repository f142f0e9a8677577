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

  /// Whether a file of the key lies there. If none does, it is late or lost, and no password gets the key.
  public internal(set) var hasFile: Bool

  init(
    _ identifier: KeyIdentifier, isReplacement: Bool = false, unreadableFile: KeyFileName? = nil,
    hasFile: Bool = true
  ) {
    self.identifier = identifier
    self.isReplacement = isReplacement
    self.unreadableFile = unreadableFile
    self.hasFile = hasFile
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
    let file = parts.dropFirst().first
    self.init(
      identifier, isReplacement: isReplacement,
      unreadableFile: file.flatMap { RemoteName(String($0)) }.flatMap { KeyFileName($0) },
      hasFile: file?.isEmpty != true)
  }

  /// The file's name follows a mark, which stands alone where there is none.
  var text: String {
    let file = hasFile ? unreadableFile.map { "\(Self.fileMark)\($0.name)" } : "\(Self.fileMark)"
    return (isReplacement ? Self.mark : "") + identifier.description + (file ?? "")
  }
}
