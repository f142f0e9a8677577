import ChangeTracking

/// Turns a head into bytes and back: `Docs/Formats/RemoteHierarchy.md`, "Heads".
///
/// All numbers are big-endian. The bytes end with their own `ContentHash`, which tells a torn file.
public enum HeadCodec {
  static let magic: [UInt8] = Array("TICDSHD".utf8) + [version]
  static let version: UInt8 = 1
  /// Greatest size of a head's file in bytes, sealed or not.
  public static let sizeLimit = 1 << 20
  static let textLimit = 1_024

  /// The bytes of a head. Texts are cut to 1024 bytes.
  public static func encode(_ head: Head) -> [UInt8] {
    var bytes = magic
    append(head.name.author.bits, to: &bytes)
    append(head.name.sequence, to: &bytes)
    append(head.name.seen, to: &bytes)
    bytes += head.name.hash?.bytes ?? [UInt8](repeating: 0, count: ContentHash.byteCount)
    append(head.time, to: &bytes)
    for text in [head.client, head.clientDescription, head.model, head.wholeStore?.description ?? ""] {
      append(text, to: &bytes)
    }
    bytes += VersionVectorCodec.encode(head.vector)
    return bytes + ContentHash(of: bytes).bytes
  }

  /// Reads the bytes of a head.
  ///
  /// - Parameters:
  ///   - bytes: the file's content, opened if it was sealed.
  ///   - name: what the file was called; its parts must be those of the content.
  /// - Throws: ``FormatError``.
  public static func decode(_ bytes: [UInt8], named name: HeadName) throws(FormatError) -> Head {
    var reader = RecordReader(bytes, format: "head")
    guard try reader.array(magic.count - 1, "magic") == magic.dropLast() else {
      throw reader.failure("the bytes of a head")
    }
    guard try reader.byte("version") == version else { throw reader.failure("version \(version)") }
    let end = bytes.count - ContentHash.byteCount
    guard end >= reader.position, ContentHash(of: Array(bytes[..<end])).bytes == Array(bytes[end...]) else {
      throw reader.failure("the hash of the content at the end")
    }
    let author = AuthorID(bits: try reader.integer("author"))
    let sequence: UInt64 = try reader.integer("sequence")
    let seen: UInt64 = try reader.integer("seen")
    let hash = ContentHash(bytes: try reader.array(ContentHash.byteCount, "hash of the last set"))
    guard HeadName.statement(author: author, sequence: sequence, seen: seen, hash: hash) == name.statement
    else {
      throw reader.failure("the author and the numbers of the file's name")
    }
    let time: UInt64 = try reader.integer("time")
    let client = try reader.text("client", limit: textLimit)
    let description = try reader.text("client description", limit: textLimit)
    let model = try reader.text("model", limit: textLimit)
    let store = try reader.text("whole store", limit: RemoteName.byteLimit)
    guard store.isEmpty || RemoteName(store) != nil else {
      throw reader.failure("a valid name of a whole store")
    }
    let vector = try VersionVectorCodec.read(&reader)
    guard reader.position == end else { throw reader.failure("the end of the content") }
    return Head(
      name: name, client: client, clientDescription: description, vector: vector,
      wholeStore: RemoteName(store),
      model: model, time: time)
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    // A cut may not fall inside a character.
    var text = text[...]
    while text.utf8.count > textLimit { text = text.dropLast() }
    append(UInt16(text.utf8.count), to: &bytes)
    bytes += text.utf8
  }
}
