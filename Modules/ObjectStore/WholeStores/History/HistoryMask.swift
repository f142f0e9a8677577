/// Which property each bit of `ACHANGE.ZCOLUMNS` stands for, and each column of what is left of a deleted object.
///
/// Bits are counted from the most significant one of the first byte. They stand for, in this order: the keys of the to-one
/// relationships; their entity columns; their order columns; the attributes; the to-many relationships that rows of the destination
/// keep; those that a table of links keeps. Each in the order of the entity, inherited ones first. The 28 masks of a published store of
/// macOS 10.13 bear this out: they have as many bytes as it takes, and the bits name what the saves must have changed.
struct HistoryMask {
  /// The attributes of which a deleted object's value is kept, by index, in the order of the columns: that of the entity.
  let preserved: [Int]
  /// The property of each bit, by index; `nil` if the order is not known.
  private let bits: [Int]?

  init(_ entity: EntityDescription, schema: StoreSchema) {
    preserved = entity.properties.indices.filter {
      entity.attribute(at: $0).map { $0.preservesValueOnDeletion && !$0.isTransient } ?? false
    }

    var parts: [[Int]] = Array(repeating: [], count: 6)
    // A relationship to many without inverse is a column of its destination that no property stands for, and nothing tells its bit.
    var isKnown = !schema.joins.contains {
      $0.isInTarget && entity.isKind(of: schema.model.entities[$0.targetEntity])
    }
    for (index, storage) in schema.table(of: entity).storage.enumerated() {
      switch storage {
      case .memory: break
      case .toOne(let columns):
        parts[0].append(index)
        if columns.entity != nil { parts[1].append(index) }
        if columns.order != nil { parts[2].append(index) }
      case .attribute: parts[3].append(index)
      case .inverse: parts[4].append(index)
      case .join(let side):
        parts[5].append(index)
        if side.table.isInTarget { isKnown = false }
      }
    }
    bits = isKnown ? parts.flatMap(\.self) : nil
  }

  /// The properties that a mask names, in the order of the entity; `nil` if it is not one of this entity, as after a migration.
  func properties(_ mask: [UInt8]) -> [Int]? {
    guard let bits, mask.count == (bits.count + 7) / 8 else { return nil }
    var properties: Set<Int> = []
    for bit in 0..<mask.count * 8 where mask[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
      guard bit < bits.count else { return nil }
      properties.insert(bits[bit])
    }
    return properties.sorted()
  }
}
