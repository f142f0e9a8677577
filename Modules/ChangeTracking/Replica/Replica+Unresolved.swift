extension Replica {
  /// What still holds of the warnings and parked changes of several merges, now that all are done: what the first of them
  /// missed may have come with the last.
  package func unresolved(_ warnings: [SyncWarning], _ parked: [ParkedChange]) throws -> (
    warnings: [SyncWarning], parked: [ParkedChange]
  ) {
    guard !parked.isEmpty || warnings.contains(where: { $0.kind.isOfMissingObject || $0.kind == .parked })
    else { return (warnings, parked) }
    return try connection.transaction(.deferred) {
      let cells = try Cells(connection: connection, schema: store.schema)
      return (
        try warnings.filter { warning in
          guard let object = warning.object else { return true }
          if warning.kind == .parked {
            return try warning.key.map { try cells.isParked($0, of: object, warning.entity) } ?? true
          }
          return try !warning.kind.isOfMissingObject || !cells.isKnown(object, warning.entity)
        }, try parked.filter { try cells.isParked($0.key, of: $0.object, $0.entity) }
      )
    }
  }
}
