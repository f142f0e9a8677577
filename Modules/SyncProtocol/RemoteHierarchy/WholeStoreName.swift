import ChangeTracking

/// The name of a whole store: `<author>.<sequence>.<seen>.<hash>.<size>.<code>.copy`.
///
/// It says what the copy contains and which bytes the file has, so that one listing tells which copy is the best to begin with and
/// whether a file has arrived; the code proves that a member of the document wrote it.
public struct WholeStoreName: CodedName, Hashable, Comparable, Sendable {
  /// Who made the copy.
  public let author: AuthorID
  /// The author's last set that the copy contains and the remote has; 0 if there is none.
  public let sequence: UInt64
  /// Sum of the sequences that the copy contains of all others.
  public let seen: UInt64
  /// Hash of the file.
  public let hash: ContentHash
  /// How large the file is.
  public let size: SizeClass
  /// Proves that the author had the key.
  public let code: NameCode

  /// The size of a file, as far as a name tells it: the number of bits of the number of its bytes.
  public struct SizeClass: Hashable, Sendable {
    /// The number of bits.
    public let bits: Int

    /// The class of a file with so many bytes.
    public init(of count: Int64) { bits = Int64.bitWidth - max(count, 0).leadingZeroBitCount }

    fileprivate init?(_ digits: Substring) {
      guard digits.utf8.count == 2, digits.utf8.allSatisfy({ (48...57).contains($0) }),
        let bits = Int(digits), bits <= Self.limit
      else { return nil }
      self.bits = bits
    }

    /// Files with more bytes than numbers of so many bits can tell are none of ours.
    static let limit = 40

    /// The greatest number of bytes in the class.
    public var greatest: Int64 { (1 << Int64(bits)) - 1 }

    fileprivate var digits: String { (bits < 10 ? "0" : "") + String(bits) }
  }

  package static let purpose = "whole-store"
  private static let suffix = ".copy"

  /// Names a whole store.
  init(
    author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash, size: SizeClass, code: NameCode
  ) {
    self.author = author
    self.sequence = sequence
    self.seen = seen
    self.hash = hash
    self.size = size
    self.code = code
  }

  /// Reads a name; `nil` if it is none of a whole store.
  public init?(_ name: RemoteName) {
    guard let parts = Self.parts(of: name, endingIn: Self.suffix, count: 6), let author = AuthorID(parts[0]),
      let sequence = FixedWidth.number(parts[1]),
      let seen = FixedWidth.number(parts[2]), let hash = ContentHash(parts[3]),
      let size = SizeClass(parts[4]),
      let code = NameCode(parts[5])
    else { return nil }
    self.init(author: author, sequence: sequence, seen: seen, hash: hash, size: size, code: code)
  }

  /// What the name says, without the code.
  static func statement(
    author: AuthorID, sequence: UInt64, seen: UInt64, hash: ContentHash, size: SizeClass
  ) -> String {
    "\(author).\(FixedWidth.text(sequence)).\(FixedWidth.text(seen)).\(hash).\(size.digits)"
  }

  /// What the name says, without the code.
  package var statement: String {
    Self.statement(author: author, sequence: sequence, seen: seen, hash: hash, size: size)
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(statement).\(code)\(Self.suffix)") }

  /// How many sets the copy contains.
  public var total: UInt64 { sequence + seen }

  /// Orders by what the copies contain; of those that contain equally much, by name.
  public static func < (left: WholeStoreName, right: WholeStoreName) -> Bool {
    (left.total, left.name) < (right.total, right.name)
  }
}
