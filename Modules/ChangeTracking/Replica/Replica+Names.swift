import TICDSSQLite

/// Learning what things are called: from another version of the local model, and from the sets of others.
extension Replica {
  /// Once for each version of the local model: shows what was kept aside for it, also what arrived under other names.
  ///
  /// Waits until the log is empty, for what the user has written may not be in the cells yet.
  func learnModel() throws {
    let known = SQLiteValue.text(shownModel)
    guard try state.value(.model) != known else { return }
    for scan in try MigratedLinks(state).scans { try recordMigratedLinks(scan) }
    guard try !hasUnfrozenChanges else { return }
    try begin { transaction in
      guard try !hasUnfrozenChanges else { return }
      let renewed = try unite(transaction)
      try SurplusRows(connection, renewed.cells.authors).remove(renewed.showing)
      try ErasedRegisters(connection).blank(renewed.showing)
      try renewed.showing.showChangedBlanks(in: state)
      try renewed.showing.showWhatTheModelHasLearned()
      try renewed.showing.settleRepeatedValues()
      try renewed.showing.arrangeAllLists()
      try renewed.cells.objects.flush()
      transaction.showing.rows.changes.formUnion(renewed.showing.rows.changes)
      try state.set(.model, known)
    }
  }

  /// Logs the links that a migration has made, also of rows that no set says yet.
  private func recordMigratedLinks(_ scan: MigratedLinks.Scan) throws {
    let names = try NameTable(connection: connection, schema: store.schema)
    var scan = scan
    // A copy that somebody else has made may name what there is not.
    while let entity = names.entities.first(where: { $0.number == scan.entity }), let local = entity.local,
      entity.localProperties.contains(where: { $0.bit == scan.bit })
    {
      let rows = try store.rows(local, after: scan.position, limit: Adoption.batchSize, withoutSyncID: false)
      guard let last = rows.last else { break }
      scan.position = last
      try begin { transaction in
        try identification(transaction).recordMigratedLinks(rows, of: local, scan.bit)
        try MigratedLinks(transaction.cells.state).write(scan)
      }
    }
    try begin { try MigratedLinks($0.cells.state).remove(scan) }
  }

  /// Notes the names in sets that tell former ones, and shows what arrived before under names that turn out to be of the same.
  ///
  /// - Parameter all: whether sets that tell no former names are looked at too, as a name may relate what is known already.
  func learnNames(of sets: [ReceivedSet], all: Bool = false) throws {
    let sets = all ? sets : sets.filter { $0.set.tellsFormerNames }
    guard !sets.isEmpty else { return }
    for received in sets { try SetCheck(received.set).run() }
    try learnNames { names in
      for received in sets { _ = try SetNames(received.set, in: names) }
    }
  }

  /// Learns names, and shows what arrived before under names that turn out to be of the same.
  ///
  /// - Parameter tell: tells the names; more than once if something is written meanwhile.
  func learnNames(_ tell: (NameTable) throws -> Void) throws {
    while true {
      let isDone = try begin { transaction in
        guard try !hasUnfrozenChanges else { return false }
        try tell(transaction.cells.names)
        guard transaction.cells.names.hasNewRelatives else { return true }
        let renewed = try unite(transaction)
        try renewed.cells.objects.flush()
        transaction.showing.rows.changes.formUnion(renewed.showing.rows.changes)
        return true
      }
      if isDone { return }
      try freeze()
    }
  }

  /// Unites what only other devices know with what the local model shows under related names, and shows it.
  ///
  /// - Returns: what to go on with, for nothing that was read before is right any more.
  private func unite(_ transaction: ReplicaTransaction) throws -> ReplicaTransaction {
    var uniting = NameUniting(connection, transaction.reader)
    var names = transaction.cells.names
    while true {
      let unions = try names.relatives()
      if unions.isEmpty { break }
      try uniting.unite(unions, names)
      names = try NameTable(connection: connection, schema: store.schema)
    }
    let renewed = try ReplicaTransaction(store: store)
    try renewed.cells.names.learn(all: true)
    try renewed.showing.drop(uniting.surplus.rows)
    for register in uniting.erased { try renewed.showing.blankErased(register) }
    let cleared = Dictionary(grouping: uniting.cleared, by: \.object)
    for id in uniting.touched.sorted() {
      try renewed.cells.objects.spill()
      // One that got other bits may have become one with another object after that.
      guard try renewed.cells.objects.existingSlot(id) != nil else { continue }
      try renewed.showing.showAgain(id, cleared: cleared[id, default: []].map(\.bit))
    }
    if !uniting.touched.isEmpty { try renewed.showing.settle() }
    return renewed
  }
}

/// Sets tell names that were not learnt before the transaction that merges them.
struct UnknownNames: Error {}

extension ChangeSet {
  fileprivate var tellsFormerNames: Bool {
    entities.contains { !$0.formerNames.isEmpty || $0.properties.contains { !$0.formerNames.isEmpty } }
  }
}
