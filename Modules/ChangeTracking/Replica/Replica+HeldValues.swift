import ObjectStore
import TICDSSQLite

/// Long values that this store holds, whoever wrote them: what storage has lost of them can be sent again from here.
extension Replica {
  /// Where a long value was found.
  package struct HeldLongValue: Hashable {
    /// Hash of its bytes.
    package let hash: ContentHash
    let register: RegisterID
  }

  /// Looks for long values among all that rows show and all that is kept aside. Only hashing tells which they are, so this reads every
  /// text, one row at a time.
  ///
  /// - Parameters:
  ///   - limit: how many are looked for at most.
  ///   - isWanted: whether the value of a hash is one of them.
  package func heldLongValues(
    limit: Int, where isWanted: (ContentHash) throws -> Bool
  ) throws -> [HeldLongValue] {
    try connection.transaction(.deferred) {
      let reader = try heldValueReader()
      let cells = reader.cells
      var found: [ContentHash: HeldLongValue] = [:]
      func note(_ content: Register.Content, _ register: RegisterID) throws {
        guard case .value(let value) = content, let long = LongValue(value), found[long.hash] == nil,
          try isWanted(long.hash)
        else { return }
        found[long.hash] = HeldLongValue(hash: long.hash, register: register)
      }
      search: for entity in cells.names.entities where entity.local != nil {
        let bits = Self.attributes(of: entity).map(\.bit)
        for id in try cells.objects.shown(entity.number) {
          if found.count >= limit { break search }
          for (bit, content) in zip(bits, try shownContents(of: id, bits, reader)) {
            try note(content, RegisterID(object: id, bit: bit))
          }
          try cells.objects.spill()
        }
      }
      for id in try cells.objects.waiting() where found.count < limit {
        for kept in try cells.parked.values(of: id) {
          try note(kept.content, RegisterID(object: id, bit: kept.bit))
        }
      }
      return found.values.sorted { $0.register < $1.register }
    }
  }

  /// The bytes of a value that was found; `nil` if it has been overwritten since.
  package func bytes(of held: HeldLongValue) throws -> [UInt8]? {
    try connection.transaction(.deferred) {
      let reader = try heldValueReader()
      let (id, bit) = (held.register.object, held.register.bit)
      guard try reader.cells.objects.existingSlot(id) != nil else { return nil }
      let kept = try [reader.cells.parked.value(of: RegisterID(object: id, bit: bit))].compactMap(\.self)
      for case .value(let value) in try kept + shownContents(of: id, [bit], reader) {
        if let (_, bytes) = LongValue.bytes(of: value), ContentHash(of: bytes) == held.hash { return bytes }
      }
      return nil
    }
  }

  private func heldValueReader() throws -> RegisterReader {
    RegisterReader(cells: try Cells(connection: connection, schema: store.schema), store: store)
  }

  private static func attributes(of entity: KnownEntity) -> [KnownProperty] {
    entity.localProperties.filter { $0.isAttribute && !$0.isFolded && $0.local != nil }
  }

  /// What the row of an object shows of some attributes, in their order; empty if no row shows it.
  private func shownContents(
    of id: RecordID, _ bits: [PropertyBit], _ reader: RegisterReader
  ) throws -> [Register.Content] {
    let record = try reader.cells.objects[id]
    let entity = reader.cells.entity(of: record)
    let properties = Self.attributes(of: entity).filter { bits.contains($0.bit) }
    guard !properties.isEmpty, let row = reader.row(of: record),
      let stored = try store.readRow(row, properties.compactMap(\.local))
    else { return [] }
    return try zip(properties, stored.contents).map {
      try reader.content($1, of: $0) ?? .value(.null)
    }
  }
}
