import TICDSSQLite

/// Finds out which rows need other keys, because tables that were apart become one.
///
/// The rows of the table that was the target's own keep their keys, else those of the first; the others follow behind.
struct KeyShift {
  let source: StoreSchema
  let target: StoreSchema

  /// Sets the offsets of a mapping. Gives the last key of every table of the target, by the index of its root entity.
  func apply(to mapping: inout ModelMapping, _ connection: Connection) throws -> [Int64] {
    var last = Array(repeating: Int64(0), count: target.model.entities.count)
    for root in target.model.entities where root.parent == nil {
      var sources: [Int] = []
      for entity in mapping.entities where entity.target.rootIndex == root.index {
        let table = entity.source.rootIndex
        if sources.contains(table) { continue }
        let isOwn = mapping.entity(to: root)?.source.rootIndex == table
        sources.insert(table, at: isOwn ? 0 : sources.count)
      }
      for table in sources {
        let offset = last[root.index]
        for index in mapping.entities.indices
        where mapping.entities[index].target.rootIndex == root.index
          && mapping.entities[index].source.rootIndex == table
        {
          mapping.entities[index].keyOffset = offset
        }
        let (sum, isTooGreat) = offset.addingReportingOverflow(try lastKey(ofTable: table, connection))
        if isTooGreat {
          throw StoreError(.damagedMetadata("a key is too great to be moved"), path: connection.path)
        }
        last[root.index] = sum
      }
    }
    return last
  }

  private func lastKey(ofTable root: Int, _ connection: Connection) throws -> Int64 {
    let counted = try connection.first(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(source.tables[root].number))
    let used = try connection.first("SELECT max(Z_PK) FROM \(quote(source.tables[root].name))")
    var last: Int64 = 0
    for case .integer(let key)? in [counted, used] { last = max(last, key) }
    return last
  }
}
