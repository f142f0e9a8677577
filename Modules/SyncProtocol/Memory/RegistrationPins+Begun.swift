import ChangeTracking
import Crypto

/// Which document a store was begun from, until it is registered. It is written into the copy before that gets its place, so that no
/// interruption parts the two.
extension RegistrationPins {
  /// A founding of the document that the copy is of.
  struct BegunFounding: Hashable, Sendable {
    var founding: IntegrityKey
    /// The key that it was made with; `nil` without encryption, or where its record did not show.
    var key: KeyIdentifier?
  }

  /// The name of what is remembered of it.
  static let begun = "begun"

  /// The foundings that the copy is of; none once the store is registered, or if it was not begun with a copy.
  var begunFoundings: [BegunFounding] {
    get throws {
      guard let bytes = try replica.remoteState(Self.begun) else { return [] }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        guard let founding = words.first.flatMap({ IntegrityKey(String($0)) }) else { return nil }
        return BegunFounding(
          founding: founding, key: words.count > 1 ? KeyIdentifier(digits: words[1]) : nil)
      }
    }
  }

  /// How the foundings are written down.
  static func bytes(_ foundings: [BegunFounding]) -> [UInt8] {
    let lines = foundings.map { founding in
      ([founding.founding.description] + (founding.key.map { [$0.description] } ?? [])).joined(separator: " ")
    }
    return Array(lines.joined(separator: "\n").utf8)
  }
}
