extension BinaryStore {
  /// The store as a file's bytes. Equal stores give equal bytes.
  ///
  /// Core Data rewrites such a file as a whole at every save; do the same: write under another name, then rename.
  ///
  /// - Throws: ``CoreDataFormatError`` with `notEncodable` for a primary key below 1 or one that occurs twice.
  public func encoded() throws(CoreDataFormatError) -> [UInt8] {
    var lastKey: Int64 = 0
    let sorted = nodes.sorted { $0.primaryKey < $1.primaryKey }
    for node in sorted {
      guard node.primaryKey > lastKey else {
        throw CoreDataFormatError(
          .notEncodable, in: .binaryStore,
          expected: "a unique primary key from 1 instead of \(node.primaryKey)")
      }
      lastKey = node.primaryKey
    }
    let map = Self.encodeMap(sorted)
    let metadata = Self.encodeMetadata(metadata)
    let mapStart = BinaryStoreHeader.length
    let metadataStart = mapStart + map.count
    let header = BinaryStoreHeader(
      metadata: metadataStart..<metadataStart + metadata.count, map: mapStart..<metadataStart,
      lastPrimaryKey: max(lastKey, lastPrimaryKey))
    return header.bytes + map + metadata
  }

  private static func encodeMap(_ nodes: [Node]) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let keys = nodes.map { ArchivedObject.integer($0.primaryKey) }
    let root = writer.addDictionary(["NSMutableDictionary", "NSDictionary"], keys) { writer, index in
      writer.add(nodes[index])
    }
    return writer.encode(roots: ["mapData": root])
  }

  private static func encodeMetadata(_ metadata: [String: ArchivedObject]) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let pairs = Dictionary(uniqueKeysWithValues: metadata.map { (ArchivedObject.string($0.key), $0.value) })
    let root = writer.addDictionary(["NSDictionary"], pairs)
    return writer.encode(roots: ["metadata": root])
  }
}

extension KeyedArchiveWriter {
  fileprivate mutating func add(_ node: BinaryStore.Node) -> Reference {
    reserve { writer in
      var fields: [String: PropertyList] = [
        "NSPrimaryKey64": .integer(node.primaryKey),
        "NSEntityName": .uid(writer.add(.string(node.entityName))),
      ]
      if let named = node.namedAttributes, node.attributeValues.isEmpty {
        let pairs = Dictionary(uniqueKeysWithValues: named.map { (ArchivedObject.string($0.key), $0.value) })
        fields["NSAttributes"] = .uid(writer.addDictionary(["NSDictionary"], pairs))
      } else {
        fields["NSAttributeValues"] = .uid(writer.addCollection(["NSArray"], node.attributeValues))
      }
      if !node.relatedNodes.isEmpty {
        fields["NSRelatedNodes"] = .uid(writer.add(node.relatedNodes))
      }
      return writer.record(BinaryStoreMap.nodeClasses, fields)
    }
  }

  private mutating func add(_ related: [String: BinaryStore.RelatedNodes]) -> Reference {
    let sorted = related.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let names = sorted.map { ArchivedObject.string($0.key) }
    return addDictionary(["NSMutableDictionary", "NSDictionary"], names) { writer, index in
      let classes = sorted[index].value.isToMany ? ["NSMutableArray", "NSArray"] : ["NSArray"]
      return writer.addCollection(classes, sorted[index].value.primaryKeys.map { .integer($0) })
    }
  }
}
