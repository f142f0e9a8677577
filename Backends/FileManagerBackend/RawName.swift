import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A name as the file system holds it: bytes, which need not be UTF-8.
struct RawName {
  /// With a zero at the end, as system calls take it.
  let bytes: [CChar]

  init(_ name: UnsafePointer<CChar>) {
    bytes = Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
  }

  init(_ name: RemoteName) { bytes = name.description.utf8.map { CChar(bitPattern: $0) } + [0] }

  /// Whether the bytes are UTF-8, so that ``text`` is the name and not only looks like it.
  var isText: Bool { withoutEnd { String(validating: $0, as: UTF8.self) != nil } }

  /// For people, and for names that keep to the grammar; what is no UTF-8 is replaced.
  var text: String { withoutEnd { String(decoding: $0, as: UTF8.self) } }

  /// Whether it names the folder itself or the one above.
  var isDots: Bool { withoutEnd { $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } } }

  private func withoutEnd<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
  }
}
