import TICDSSQLite

/// Which records there are: answers in their order, from the file as it was last flushed.
extension ObjectTable {
  /// Records that may hold something which no row shows.
  func waiting() throws -> [RecordID] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE row IS NULL AND entity > 0 UNION SELECT object FROM TICDS_VALUE
      UNION SELECT object FROM TICDS_TARGET UNION SELECT source FROM TICDS_LINK ORDER BY 1
      """)
  }

  /// The next records after one that have a row and that no set may have said to be inserted.
  func unsaid(after id: RecordID, limit: Int) throws -> [RecordID] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE id > ? AND row IS NOT NULL AND inserted <= deleted ORDER BY id LIMIT ?
      """, .integer(id.rawValue), .integer(Int64(limit)))
  }

  /// The next records after one that no row shows and nobody has edited since they were deleted.
  func withoutRow(after id: RecordID, limit: Int) throws -> [RecordID] {
    try ids(
      "SELECT id FROM TICDS_OBJECT WHERE id > ? AND row IS NULL AND clocks IS NULL ORDER BY id LIMIT ?",
      .integer(id.rawValue), .integer(Int64(limit)))
  }

  /// Whether a link, a relationship that is kept aside or something contributed after a deletion mentions a record.
  func isReferredTo(_ id: RecordID) throws -> Bool {
    try connection.first(
      """
      SELECT EXISTS (SELECT 1 FROM TICDS_LINK WHERE source = ?1) OR EXISTS (SELECT 1 FROM TICDS_LINK WHERE target = ?1)
        OR EXISTS (SELECT 1 FROM TICDS_TARGET WHERE target = ?1)
        OR EXISTS (SELECT 1 FROM TICDS_CONTRIBUTION WHERE object = ?1)
      """, .integer(id.rawValue)) == .integer(1)
  }

  /// The records of other families that have the sync ID of a record, too.
  ///
  /// They are one object with it for versions of the model that place their entities below one root.
  func namesakes(of id: RecordID) throws -> [RecordID] {
    try ids(
      """
      SELECT id FROM TICDS_OBJECT WHERE syncid = (SELECT syncid FROM TICDS_OBJECT WHERE id = ?1) AND id != ?1 ORDER BY id
      """, .integer(id.rawValue))
  }

  /// Removes a record from the file. Nothing may refer to it, and its slot must not be changed any more.
  func forget(_ id: RecordID) throws {
    try connection.run("DELETE FROM TICDS_OBJECT WHERE id = ?", .integer(id.rawValue))
  }

  /// Records that may bear stamps of an author.
  func ids(writtenBy author: AuthorID) throws -> [RecordID] {
    try flush()
    return try ids(
      "SELECT id FROM TICDS_OBJECT WHERE inserter = ?1 OR deleter = ?1 OR clocks IS NOT NULL ORDER BY id",
      .integer(authors.storedNumber(of: author)))
  }

  /// Records of an entity that rows show.
  func shown(_ entity: EntityNumber) throws -> [RecordID] {
    try flush()
    return try ids(
      "SELECT id FROM TICDS_OBJECT WHERE entity = ? AND row IS NOT NULL ORDER BY id",
      .integer(Int64(entity.rawValue)))
  }

  private func ids(_ sql: String, _ values: SQLiteValue...) throws -> [RecordID] {
    let statement = try connection.prepare(sql)
    try statement.bind(values)
    var ids: [RecordID] = []
    while try statement.step() { ids.append(RecordID(rawValue: statement.int64(0))) }
    return ids
  }
}
