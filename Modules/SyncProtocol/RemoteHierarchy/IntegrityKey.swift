import ChangeTracking

/// Distinguishes one founding of a document or an application's part from every other: the hash of what its ``FoundingRecord`` says.
///
/// Part of the identity of every sealed file of a document, so that a file of a document that was deleted is none of its successor's.
public struct IntegrityKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let hash: ContentHash

  /// The key of a founding.
  init(_ hash: ContentHash) { self.hash = hash }

  /// Reads exactly 32 lower-case hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    guard let hash = ContentHash(text) else { return nil }
    self.hash = hash
  }

  /// 32 lower-case hexadecimal digits.
  public var description: String { hash.description }

  /// Orders by digits.
  public static func < (left: IntegrityKey, right: IntegrityKey) -> Bool {
    left.description < right.description
  }
}
