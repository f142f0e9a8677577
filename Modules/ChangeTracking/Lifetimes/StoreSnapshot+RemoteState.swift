import SQLite

extension StoreSnapshot {
  /// Sets in the copy a small durable value of the layer above (``Replica/setRemoteState(_:_:)``), before anything else opens it: what must not be
  /// lost between beginning with the copy and opening a replica of it.
  package func setRemoteState(_ name: String, _ value: [UInt8]) throws {
    let connection = try Connection(path: path)
    try connection.transaction { try StateTable(connection).set(.remote(name), .blob(value)) }
  }
}
