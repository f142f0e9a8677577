import Crypto

/// The name of an empty file in `Encryption`, by which a member says that a slot of a key file opens nothing any more:
/// `<key, 16 digits>.<slot, 32 digits>.<code>.withdrawn`.
///
/// It names the slot and not the file, so that it holds for every copy and every version of the file, whoever puts them back.
public struct WithdrawalName: Hashable, Comparable, Sendable {
  /// The master key in the slot.
  public let key: KeyIdentifier
  /// The slot.
  public let slot: KeyFile.Slot.Identifier
  /// Proves that somebody with the key wrote it.
  public let code: NameCode

  private static let suffix = ".withdrawn"

  /// Names no slot, but all that a key has and will ever have: the key was replaced, so that nothing opens it any more. What a device adds to it
  /// that has not heard of that opens nothing either.
  static let everySlot = KeyFile.Slot.Identifier(
    digits: String(repeating: "0", count: 32))

  /// Whether it withdraws the key as a whole.
  var isOfKey: Bool { slot == Self.everySlot }

  init(_ key: KeyIdentifier, slot: KeyFile.Slot.Identifier, code: NameCode) {
    self.key = key
    self.slot = slot
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a withdrawal.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix) else { return nil }
    let parts = text.dropLast(Self.suffix.utf8.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let key = KeyIdentifier(digits: parts[0]),
      let slot = KeyFile.Slot.Identifier(digits: parts[1]), let code = NameCode(parts[2])
    else { return nil }
    self.init(key, slot: slot, code: code)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(key).\(slot.digits).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: WithdrawalName, right: WithdrawalName) -> Bool { left.name < right.name }
}

extension ApplicationHierarchy {
  /// The file of a withdrawal.
  public func file(of withdrawal: WithdrawalName) -> RemotePath { encryption / withdrawal.name }

  /// What the name of a withdrawal says, for its code.
  func statement(withdrawing slot: KeyFile.Slot.Identifier, of key: KeyIdentifier) -> [String] {
    ["withdrawn", application.description, key.description, slot.digits]
  }

  /// The withdrawal of a slot, by somebody with its key.
  package func withdrawal(
    of slot: KeyFile.Slot.Identifier, _ key: MasterKey
  ) throws(CryptoError) -> WithdrawalName {
    let names = try NameAuthenticator(keys: KeyRing(key))
    return WithdrawalName(
      key.identifier, slot: slot, code: names.code(statement(withdrawing: slot, of: key.identifier)))
  }

  /// Whether somebody with the key wrote a withdrawal; `false` if that key is not at hand.
  package func isGenuine(_ withdrawal: WithdrawalName, _ names: NameAuthenticator) -> Bool {
    let statement = statement(withdrawing: withdrawal.slot, of: withdrawal.key)
    return names.verifies(withdrawal.code, statement, key: withdrawal.key) == true
  }
}
