import ChangeTracking
import Crypto

/// The name of a long value's file: `<32 hexadecimal digits>.value`.
///
/// Without encryption the digits are the hash of the value's bytes. With it they are a pseudonym of the hash under the master
/// key, so that storage cannot test whether a document holds some content.
public struct LongValueName: Hashable, Sendable {
  /// Hash or pseudonym.
  public let digits: ContentHash

  private static let suffix = ".value"

  /// Names the value of a hash.
  ///
  /// - Parameter key: the key that the document's files are sealed with, if they are.
  /// - Throws: `CryptoError` if the primitives fail.
  package init(_ hash: ContentHash, key: MasterKey?) throws(CryptoError) {
    guard let key else {
      digits = hash
      return
    }
    let bytes = try key.pseudonym(of: hash.bytes, purpose: "TICDS long value name v1")
    guard let pseudonym = ContentHash(bytes: bytes) else {
      throw CryptoError(.invalidArgument, "a pseudonym has \(ContentHash.byteCount) bytes")
    }
    digits = pseudonym
  }

  /// All names under which the value of a hash may lie, the one to write first.
  package static func candidates(_ hash: ContentHash, keys: KeyRing?) throws(CryptoError) -> [LongValueName] {
    guard let keys else { return [try LongValueName(hash, key: nil)] }
    var names: [LongValueName] = []
    for key in keys.all { names.append(try LongValueName(hash, key: key)) }
    return names
  }

  /// Reads a name; `nil` if it is none of a long value.
  public init?(_ name: RemoteName) {
    let text = name.description
    guard text.hasSuffix(Self.suffix), let digits = ContentHash(text.dropLast(Self.suffix.utf8.count)) else {
      return nil
    }
    self.digits = digits
  }

  /// The file's name.
  public var name: RemoteName { RemoteName(trusted: "\(digits)\(Self.suffix)") }
}
