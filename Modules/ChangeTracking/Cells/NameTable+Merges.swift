import TICDSSQLite

/// Merges that the local model declares later.
extension NameTable {
  /// Whether the local model declares a merge that cells are not prepared for.
  var hasUnadoptedMerge: Bool { entities.contains { $0.properties.contains(where: \.hasUnadoptedMerge) } }

  /// Notes that cells are prepared for what the local model declares.
  func adoptMerge(of bit: PropertyBit, in entity: EntityNumber) throws {
    let property = try self[entity].property(bit)
    let kind = property.declaredMerge
    if kind.isFolded {
      try connection.run(
        "INSERT OR REPLACE INTO TICDS_MERGE VALUES (?, ?, ?)", .integer(Int64(entity.rawValue)),
        .integer(Int64(bit.rawValue)), .text(kind.text))
    } else {
      try connection.run(
        "DELETE FROM TICDS_MERGE WHERE entity = ? AND bit = ?", .integer(Int64(entity.rawValue)),
        .integer(Int64(bit.rawValue)))
    }
    property.adopt(kind)
    self[entity].gatherMerges()
  }

  func loadMerges() throws {
    let statement = try connection.cached("SELECT entity, bit, merge FROM TICDS_MERGE")
    while try statement.step() {
      let entity = self[EntityNumber(rawValue: Int(clamping: statement.int64(0)))]
      let bit = PropertyBit(rawValue: Int(clamping: statement.int64(1)))
      try entity.property(bit).adopt(MergeKind(statement.text(2)))
    }
  }
}
