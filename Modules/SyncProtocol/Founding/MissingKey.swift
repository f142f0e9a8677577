import Crypto

/// A key that other devices write with and that is not at hand.
public struct MissingKey: Hashable, Comparable, Sendable {
  /// The key.
  public let identifier: KeyIdentifier
  /// Whether a member has put it in the place of a key at hand (``ApplicationSyncManager/replaceKeys(password:)``); otherwise others
  /// have founded with it while this device was apart from them.
  public let isReplacement: Bool

  init(_ identifier: KeyIdentifier, isReplacement: Bool = false) {
    self.identifier = identifier
    self.isReplacement = isReplacement
  }

  /// Orders by identifier.
  public static func < (one: MissingKey, other: MissingKey) -> Bool {
    one.identifier.description < other.identifier.description
  }

  // MARK: As a text

  private static let mark = "+"

  init?(text: some StringProtocol) {
    let isReplacement = text.hasPrefix(Self.mark)
    guard let identifier = KeyIdentifier(digits: text.dropFirst(isReplacement ? 1 : 0)) else { return nil }
    self.init(identifier, isReplacement: isReplacement)
  }

  var text: String { (isReplacement ? Self.mark : "") + identifier.description }
}
