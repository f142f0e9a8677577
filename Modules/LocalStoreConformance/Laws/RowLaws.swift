import ChangeTracking
import ObjectStore

extension LocalStoreConformance {
  static let rowLaws = [
    Law("a new row carries its sync ID and is what its entity says") { context in
      for (number, entity) in context.entities.enumerated() {
        let syncID = LawContext.syncID(number)
        let row = try context.transaction { try context.insert(entity, syncID) }
        let stored = try context.store.readRow(row, [])
        try context.expect(
          stored?.syncID == syncID, "a new row carries \(String(describing: stored?.syncID))")
        let identity = try context.store.identity(of: row.row, below: context.store.schema[entity].root)
        try context.expect(
          identity == RowIdentity(entity: entity, syncID: syncID),
          "a new row of \(context.store.schema[entity].name) is \(String(describing: identity))")
      }
    },
    Law("sync IDs that look alike and differ in bytes are different") { context in
      let entity = try context.entity(below: context.store.schema[context.entities[0]].root)
      let names = ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9}"]
      let rows = try context.transaction { try names.map { try context.insert(entity, SyncID($0)) } }
      for (name, row) in zip(names, rows) {
        let found = try context.store.readRow(row, [])?.syncID?.string
        try context.expect(
          found.map { $0.utf8.elementsEqual(name.utf8) } ?? false,
          "the bytes of the sync ID \(Array(name.utf8)) came back as \(found.map { Array($0.utf8) } ?? [])")
      }
    },
    Law("rows below one root have numbers of their own, which do not come again") { context in
      var seen: [String: Set<RowNumber>] = [:]
      for (round, entity) in (context.entities + context.entities.reversed()).enumerated() {
        let root = context.store.schema[entity].root
        let row = try context.transaction { try context.insert(entity, LawContext.syncID(round)) }
        try context.expect(row.row > .none, "the number \(row.row.rawValue) was given to a row")
        try context.expect(
          seen[root, default: []].insert(row.row).inserted, "the number \(row.row.rawValue) was given twice")
        try context.transaction { try context.store.deleteRow(row) }
      }
    },
    Law("a row that is gone has neither content nor identity, and others stay") { context in
      for (number, entity) in context.entities.enumerated() {
        let (row, other) = try context.transaction {
          (
            try context.insert(entity, LawContext.syncID(2 * number)),
            try context.insert(entity, LawContext.syncID(2 * number + 1))
          )
        }
        try context.transaction { try context.store.deleteRow(row) }
        let root = context.store.schema[entity].root
        try context.expect(try context.store.readRow(row, []) == nil, "a deleted row can be read")
        try context.expect(
          try context.store.identity(of: row.row, below: root) == nil, "a deleted row has an identity")
        try context.expect(try context.store.readRow(other, []) != nil, "another row was deleted too")
      }
    },
    Law("a transaction that fails leaves nothing behind") { context in
      struct Failure: Error {}
      let entity = context.entities[0]
      var row: RowReference?
      do {
        try context.transaction {
          row = try context.insert(entity, LawContext.syncID(1))
          throw Failure()
        }
      } catch is Failure {}
      if let row {
        try context.expect(try context.store.readRow(row, []) == nil, "a row outlasted its transaction")
      }
      let next = try context.transaction { try context.insert(entity, LawContext.syncID(1)) }
      try context.expect(
        try context.store.readRow(next, [])?.syncID == LawContext.syncID(1),
        "after a transaction that failed, no row can be added")
    },
  ]
}
