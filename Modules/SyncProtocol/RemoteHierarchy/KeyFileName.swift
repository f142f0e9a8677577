/// The name of a key file in `Encryption`: `<16 hexadecimal digits at random>.keys`.
///
/// If two clients turn encryption on at once, the smallest name wins: everybody seals with the key in that file.
public struct KeyFileName: Hashable, Comparable, Sendable {
  /// The file's name.
  public let name: RemoteName

  private static let suffix = ".keys"
  private static let digits = 16

  /// Makes a name at random.
  public init(using random: inout some RandomNumberGenerator) {
    name = RemoteName(trusted: RandomName.hexadecimal(digits: Self.digits, using: &random) + Self.suffix)
  }

  /// Reads a name; `nil` if it is none of a key file.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix),
      RandomName.isHexadecimal(text.dropLast(Self.suffix.utf8.count), digits: Self.digits)
    else { return nil }
    self.name = name
  }

  /// Orders by name.
  public static func < (left: KeyFileName, right: KeyFileName) -> Bool { left.name < right.name }
}
