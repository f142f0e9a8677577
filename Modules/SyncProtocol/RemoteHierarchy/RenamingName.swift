import ChangeTracking
import Crypto

/// The name of a file in `RecentSyncs` by which a device that was renamed says what it is called now: `<author>.<time>.<code>.name`.
///
/// Its content describes the device as `deviceInfo.plist` does. The listing that everybody makes tells of it, and each reads it once. Of
/// several of one author the one with the greatest time holds; what a head says of its device's name holds where there is none.
public struct RenamingName: CodedName, Hashable, Comparable, Sendable {
  /// Whose device it is.
  public let author: AuthorID
  /// When the device was renamed, in seconds since 1970 by its own clock, and later than it was renamed before.
  public let time: UInt64
  /// Proves that a member of the document wrote it.
  public let code: NameCode

  package static let purpose = "name"
  private static let suffix = ".name"

  /// Names a device.
  init(author: AuthorID, time: UInt64, code: NameCode) {
    self.author = author
    self.time = time
    self.code = code
  }

  /// Reads a name; `nil` if it is none of such a file.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 3), let author = AuthorID(parts[0]),
      let time = FixedWidth.number(parts[1]),
      let code = NameCode(parts[2])
    else { return nil }
    self.init(author: author, time: time, code: code)
  }

  /// What the name says, without the code.
  static func statement(author: AuthorID, time: UInt64) -> String { "\(author).\(FixedWidth.text(time))" }

  /// What the name says, without the code.
  package var statement: String { Self.statement(author: author, time: time) }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// Orders by author, time, code.
  public static func < (left: RenamingName, right: RenamingName) -> Bool { left.name < right.name }
}

extension SealedContext.Role {
  package static let deviceName: Self = "device-name"
}
