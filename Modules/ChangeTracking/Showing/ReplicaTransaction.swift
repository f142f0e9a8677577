/// What works together in one write transaction of a replica, and ends with it.
final class ReplicaTransaction {
  let cells: Cells
  let reader: RegisterReader
  let showing: Showing

  init(store: any LocalStore) throws {
    cells = try Cells(connection: store.connection, schema: store.schema)
    reader = RegisterReader(cells: cells, store: store)
    showing = Showing(reader: reader)
  }
}
