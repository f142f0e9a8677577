import Foundation

/// Values of attributes that allow external storage: the first byte of the column says where the value is.
///
/// 1: the value follows. 2: a file name of 36 characters and a zero byte follow, and the value is the content of that file in
/// the folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside the store.
struct ExternalValues {
  /// The folder beside the store with everything that belongs to it.
  let supportFolder: URL
  /// The folder that holds the values.
  let folder: URL

  init(storePath: String) {
    let store = URL(filePath: storePath)
    let name = store.deletingPathExtension().lastPathComponent
    supportFolder = store.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT")
    folder = supportFolder.appending(path: "_EXTERNAL_DATA")
  }

  /// Replaces a column's content by the value that it stands for; `false` if that is in a file which is missing.
  func resolve(_ column: inout AttributeValue) -> Bool {
    guard case .data(let bytes) = column, let marker = bytes.first else { return true }
    switch marker {
    case 1: column = .data(Array(bytes.dropFirst()))
    case 2 where bytes.count == 38 && bytes.last == 0:
      let name = String(decoding: bytes[1..<37], as: UTF8.self)
      // The name comes from the file, so it must be what it claims to be before it becomes part of a path.
      guard UUID(uuidString: name) != nil, let content = try? Data(contentsOf: folder.appending(path: name))
      else {
        return false
      }
      column = .data(Array(content))
    default: break
    }
    return true
  }

  /// The column's content for a value that is stored in place.
  static func column(_ value: AttributeValue) -> AttributeValue {
    guard case .data(let bytes) = value else { return value }
    return .data([1] + bytes)
  }
}
