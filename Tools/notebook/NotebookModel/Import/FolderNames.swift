import Foundation

/// The names in a folder, as the system tells them: Foundation passes over those that are not UTF-8.
struct FolderNames {
  /// In their order.
  private(set) var readable: [String] = []
  /// Names that are not UTF-8, fit to be shown: bytes that are none of a character are written as `\xE4`.
  private(set) var unreadable: [String] = []

  /// Reads a folder; `nil` if that is not possible.
  init?(_ path: String) {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        // Hidden entries are left out, whatever their names.
        if bytes.first != UInt8(ascii: ".") { unreadable.append(Self.escaped(bytes)) }
        continue
      }
      if name != ".", name != ".." { readable.append(name) }
    }
    readable.sort()
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      (0x20..<0x7f).contains(byte)
        ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
