import TICDSSQLite

extension StoreSnapshot {
  /// Sets in the copy a small durable value of the layer above (``Replica/setRemoteState(_:_:)``), before anything else opens it: what must not be
  /// lost between beginning with the copy and opening a replica of it.
  package func setRemoteState(_ name: String, _ value: [UInt8]) throws {
    let connection = try Connection(path: path)
    try connection.transaction { try StateTable(connection).set(.remote(name), .blob(value)) }
  }

  /// Removes from the copy what somebody remembered of the remote, before anything else opens it.
  ///
  /// - Parameter kinds: kinds of notes that remain.
  package func forgetRemote(but kinds: Set<String>) throws {
    let connection = try Connection(path: path)
    try connection.transaction { try Self.forgetRemote(connection, states: [], notes: kinds) }
  }

  /// Leaves some states and kinds of notes; besides, which sets are missing beside a chain.
  static func forgetRemote(
    _ connection: Connection, states names: Set<String>, notes kinds: Set<String>
  ) throws {
    let kept = Set(names.map { StateTable.Name.remote($0).text })
    let state = StateTable(connection)
    for name in try state.remoteNames() where !kept.contains(name.text) { try state.remove(name) }
    try RemoteNotes(connection).removeAll(but: kinds.union([GapTable.kind]))
  }
}
