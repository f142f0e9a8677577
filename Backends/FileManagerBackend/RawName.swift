import SyncProtocol

/// A name as the file system holds it: bytes, which need not be UTF-8.
struct RawName {
  /// With a zero at the end, as system calls take it.
  let bytes: [CChar]

  init(_ name: UnsafePointer<CChar>) {
    var bytes: [CChar] = []
    var next = name
    while next.pointee != 0 {
      bytes.append(next.pointee)
      next += 1
    }
    self.bytes = bytes + [0]
  }

  init(_ name: RemoteName) { bytes = name.description.utf8.map { CChar(bitPattern: $0) } + [0] }

  /// Whether the bytes are UTF-8, so that ``text`` is the name and not only looks like it.
  var isText: Bool {
    String(validating: bytes.dropLast().lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self) != nil
  }

  /// For people, and for names that keep to the grammar; what is no UTF-8 is replaced.
  var text: String { String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
}
