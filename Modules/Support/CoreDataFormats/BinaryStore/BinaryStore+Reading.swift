extension BinaryStore {
  /// Whether bytes begin as a binary store does.
  public static func isBinaryStore(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: BinaryStoreHeader.magic)
  }

  /// Reads a store. No bytes at all are a new, empty store, as Core Data takes them.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - policy: Classes to accept in attribute values. Core Data itself accepts the plain ones.
  ///   - limits: What to accept at most.
  /// - Throws: ``CoreDataFormatError`` that names the offset in the file.
  public init(
    _ bytes: [UInt8], allowing policy: ClassPolicy = .plain, limits: DecodingLimits = .standard
  ) throws(CoreDataFormatError) {
    guard !bytes.isEmpty else {
      self.init(nodes: [], metadata: [:])
      return
    }
    guard bytes.count <= limits.bytes else {
      throw CoreDataFormatError(
        .limitExceeded, in: .binaryStore, at: 0, expected: "at most \(limits.bytes) bytes")
    }
    let header = try BinaryStoreHeader(bytes[...])
    let metadata = try Self.metadata(KeyedArchive(bytes[header.metadata], limits: limits))
    let map = try BinaryStoreMap(KeyedArchive(bytes[header.map], limits: limits), policy: policy)
    self.init(nodes: try map.nodes(), metadata: metadata, lastPrimaryKey: header.lastPrimaryKey)
  }

  /// Reads only the metadata of a store, without decoding its objects.
  ///
  /// - Throws: ``CoreDataFormatError`` that names the offset in the file.
  public static func metadata(
    of bytes: [UInt8], limits: DecodingLimits = .standard
  ) throws(CoreDataFormatError) -> [String: ArchivedObject] {
    guard !bytes.isEmpty else { return [:] }
    let header = try BinaryStoreHeader(bytes[...])
    return try metadata(KeyedArchive(bytes[header.metadata], limits: limits))
  }

  private static func metadata(_ archive: KeyedArchive) throws(CoreDataFormatError) -> [String:
    ArchivedObject]
  {
    let root = try archive.root("metadata")
    guard case .dictionary(let pairs) = try archive.value(root) else {
      throw archive.malformed(root, "a dictionary of metadata")
    }
    var metadata: [String: ArchivedObject] = [:]
    for (key, value) in pairs {
      guard case .string(let name) = key else { throw archive.malformed(root, "text as metadata keys") }
      metadata[name] = value
    }
    return metadata
  }
}
