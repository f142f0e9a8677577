import Foundation
import ObjectStore
import TICDSOpenSSL

/// The values that identify an object on every device.
///
/// Texts are compared in normal form C: what looks alike may have been typed as other characters on another system. Whole numbers are
/// the same in all types, for the attribute may have another type in another version of the model.
struct NaturalKey: Equatable {
  private let values: [AttributeValue]

  init(_ values: [AttributeValue]) {
    self.values = values.map { value in
      switch value {
      case .string(let text) where !text.utf8.allSatisfy({ $0 < 0x80 }):
        return .string(text.precomposedStringWithCanonicalMapping)
      case .double, .float, .decimal, .boolean:
        return value.equivalents.first { if case .integer = $0 { true } else { false } } ?? value
      default: return value
      }
    }
  }

  fileprivate func append(to bytes: inout [UInt8]) { ValueColumn.append(values, to: &bytes) }
}

extension SyncID {
  /// The identifier of an object with a natural key: a UUID made from a hash (RFC 9562, version 8), the same everywhere.
  ///
  /// - Parameter generation: how many objects that had the key before have another by now.
  init(naturalKey key: NaturalKey, of root: String, generation: UInt8 = 0) {
    var bytes: [UInt8] = []
    bytes.appendText(root)
    key.append(to: &bytes)
    if generation > 0 { bytes.append(generation) }
    let digest = SHA256.hash(bytes).bytes
    let high = digest[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = digest[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    self = .uuid(high & 0xffff_ffff_ffff_0fff | 0x8000, low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
  }
}
