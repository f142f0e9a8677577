/// What a container is and where it belongs; bound into it, so that storage cannot pass one file off as another.
///
/// Neither part is stored: whoever opens a container must know what he expects. Strings are bound as the UTF-8 that they
/// are given in, without normalisation.
public struct SealedContext: Hashable, Sendable {
  /// What kind of file it is. Each user of this module declares its own in an extension.
  public struct Role: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// A short name, 1 … 255 bytes of UTF-8, for example `"change-set"`.
    public let rawValue: String

    /// Names a role.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Names a role.
    public init(stringLiteral value: String) { rawValue = value }
  }

  /// What kind of file it is.
  public let role: Role
  /// Which one of its kind: a path or another name that is unique, at most 4096 bytes of UTF-8.
  public let identity: String

  /// Names a file.
  public init(role: Role, identity: String) {
    self.role = role
    self.identity = identity
  }

  static let maximumIdentitySize = 4096

  /// Both parts, each after its length, so that no two contexts have the same bytes.
  ///
  /// - Throws: ``CryptoError`` with `invalidArgument` if a part has a length that is not permitted.
  func encoded() throws(CryptoError) -> [UInt8] {
    let (role, identity) = (Array(role.rawValue.utf8), Array(identity.utf8))
    guard (1...255).contains(role.count) else {
      throw CryptoError(.invalidArgument, "a role has 1 to 255 bytes, not \(role.count)")
    }
    guard identity.count <= Self.maximumIdentitySize else {
      throw CryptoError(
        .invalidArgument, "an identity has at most \(Self.maximumIdentitySize) bytes, not \(identity.count)")
    }
    return [UInt8(role.count)] + role + [UInt8(identity.count >> 8), UInt8(identity.count & 0xff)] + identity
  }
}
