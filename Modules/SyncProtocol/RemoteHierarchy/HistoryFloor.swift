import ChangeTracking
import Crypto

/// A file in `RecentSyncs` that says below which sets of each author nothing needs to lie on the remote, because whole stores contain it:
/// `<author>.<phase>.<total>.<hash>.<code>.floor`.
///
/// It is announced first, so that whoever is joining with an older copy can catch up, and comes into force later: sets below it may be
/// gone then, and nobody puts them back.
public struct HistoryFloor: CodedName, Hashable, Comparable, Sendable {
  /// How far it has come.
  public enum Phase: Int, Hashable, Sendable {
    /// Nothing was removed because of it.
    case announced = 0
    /// What lies below may be gone.
    case inForce = 1
  }

  /// Who has written it.
  public let author: AuthorID
  /// How far it has come.
  public let phase: Phase
  /// How many sets lie below.
  public let total: UInt64
  /// Hash of the content.
  public let hash: ContentHash
  /// Proves that the author had the key.
  public let code: NameCode

  package static let purpose = "floor"
  private static let suffix = ".floor"

  /// Names a floor.
  init(author: AuthorID, phase: Phase, total: UInt64, hash: ContentHash, code: NameCode) {
    self.author = author
    self.phase = phase
    self.total = total
    self.hash = hash
    self.code = code
  }

  /// Reads a name; `nil` if it is none of such a file.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 5), let author = AuthorID(parts[0]),
      parts[1].utf8.count == 1,
      let phase = Int(parts[1]).flatMap({ Phase(rawValue: $0) }), let total = FixedWidth.number(parts[2]),
      let hash = ContentHash(parts[3]), let code = NameCode(parts[4])
    else { return nil }
    self.init(author: author, phase: phase, total: total, hash: hash, code: code)
  }

  /// What the name says, without the code.
  static func statement(author: AuthorID, phase: Phase, total: UInt64, hash: ContentHash) -> String {
    "\(author).\(phase.rawValue).\(FixedWidth.text(total)).\(hash)"
  }

  /// What the name says, without the code.
  package var statement: String {
    Self.statement(author: author, phase: phase, total: total, hash: hash)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// Orders by name.
  public static func < (left: HistoryFloor, right: HistoryFloor) -> Bool { left.name < right.name }

  /// Greatest size of the file in bytes, sealed or not.
  package static let sizeLimit = 1 << 20
}

extension HistoryFloor {
  private static let magic: [UInt8] = Array("TICDSFL".utf8) + [1]

  /// The content of the file: of each author, the last set below the floor.
  package static func bytes(_ floor: VersionVector) -> [UInt8] { magic + VersionVectorCodec.encode(floor) }

  /// Reads the content of the file.
  ///
  /// - Throws: ``FormatError`` if it is not what the name says.
  package func content(_ bytes: [UInt8]) throws(FormatError) -> VersionVector {
    var reader = RecordReader(bytes, format: "floor")
    guard ContentHash(of: bytes) == hash else { throw reader.failure("the content that its name tells") }
    guard try reader.array(Self.magic.count, "magic") == Self.magic else {
      throw reader.failure("“TICDSFL” and version 1")
    }
    let floor = try VersionVectorCodec.read(&reader)
    guard reader.position == bytes.count, floor.total == total else {
      throw reader.failure("\(total) sets, and the end")
    }
    return floor
  }
}

extension SealedContext.Role {
  package static let floor: Self = "floor"
}
