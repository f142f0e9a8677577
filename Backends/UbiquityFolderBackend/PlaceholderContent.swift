import CoreDataFormats
import Foundation

/// What a placeholder says of the file that it stands for: a binary property list with `NSURLFileSizeKey`, among others.
enum PlaceholderContent {
  /// The greatest placeholder that is read. Real ones have some hundred bytes.
  private static let limit = 16_384

  /// The size of the file that a placeholder stands for; `nil` if it does not say.
  ///
  /// - Parameters:
  ///   - path: the placeholder, which anybody may have written.
  ///   - length: its own size.
  static func size(at path: String, length: Int64) -> Int64? {
    guard length <= Int64(limit), let handle = FileHandle(forReadingAtPath: path),
      let bytes = try? handle.read(upToCount: limit),
      case .dictionary(let list)? = try? BinaryPropertyList.decode(Array(bytes)),
      let size = list["NSURLFileSizeKey"]?.integerValue, size >= 0
    else { return nil }
    return size
  }
}
