extension Replica {
  /// The changes whose values were too long for a set and have not arrived, of objects that are shown. Until a value arrives, its object
  /// shows what it showed before, or nothing: an application tells its user so, who would take that for the value otherwise.
  ///
  /// - Parameter limit: how many are returned at most.
  public func awaitedChanges(limit: Int = 1_000) throws -> [ParkedChange] {
    try connection.transaction(.deferred) {
      let cells = try Cells(connection: connection, schema: store.schema)
      var changes: [ParkedChange] = []
      for (register, value) in try cells.parked.awaited() {
        if changes.count >= limit { break }
        let record = try cells.objects[register.object]
        let entity = cells.entity(of: record)
        let property = try entity.property(register.bit)
        guard record.lives, record.row != nil, property.local != nil else { continue }
        let stamp = record.stamp(of: register.bit)
        let side = ChangeSide(
          client: cells.authors.client(of: stamp.author), stamp: stamp, effect: .wrote(.longValue(value)))
        changes.append(
          ParkedChange(
            entity: entity.name, object: record.syncID, key: property.name, written: side,
            reason: .valueMissing))
      }
      return changes
    }
  }
}
