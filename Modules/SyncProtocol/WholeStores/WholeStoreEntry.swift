import ChangeTracking

/// What stands before each file in the compressed content of a whole store: its length, and before that the name of a file that lies
/// beside the store.
enum WholeStoreEntry {
  static let lengthSize = 8
  static let headSize = StoreAttachments.nameLength + lengthSize

  static func length(_ length: UInt64) -> [UInt8] { withUnsafeBytes(of: length.bigEndian) { Array($0) } }
}
