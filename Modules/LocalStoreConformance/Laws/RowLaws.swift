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
      let names = ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9}", "caf\u{e9} ", " caf\u{e9}"]
      let rows = try context.transaction { try names.map { try context.insert(entity, SyncID($0)) } }
      for (name, row) in zip(names, rows) {
        let found = try context.store.readRow(row, [])?.syncID?.string
        try context.expect(
          found.map { $0.utf8.elementsEqual(name.utf8) } ?? false,
          "the bytes of the sync ID \(Array(name.utf8)) came back as \(found.map { Array($0.utf8) } ?? [])")
      }
      if try context.store.lastRow(entity, in: context.store.database) == .none { return }
      for (name, row) in zip(names, rows) {
        let found = try context.store.row(entity, syncID: SyncID(name))
        try context.expect(found == row.row, "by the sync ID \(Array(name.utf8)) another row was found")
      }
      let other = try context.store.row(entity, syncID: SyncID("CAF\u{c9}"))
      try context.expect(other == nil, "a row was found by its sync ID in capital letters")
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
    Law("what a transaction that fails has deleted or changed is there again") { context in
      struct Failure: Error {}
      let pairs = try LinkedPair.all(context)
      let places = context.attributes.filter { !context.isUnique($0) && context.twoValues(for: $0) != nil }
      var rows: [(place: LawContext.Place, row: RowReference)] = []
      for (number, place) in places.enumerated() {
        guard let (value, _) = context.twoValues(for: place) else { continue }
        let written = [PropertyValue(property: place.property, value: value)]
        rows.append(
          (
            place,
            try context.transaction { try context.insert(place.entity, SyncID("kept \(number)"), written) }
          ))
      }
      func shown() throws -> [String] {
        try pairs.map { try $0.shown(context) }
          + rows.map { "\($0.place) = \(try context.content($0.row, $0.place.property))" }
          + rows.map {
            "\(try context.store.identity(of: $0.row.row, below: context.root(of: $0.row)) as Any)"
          }
      }
      let before = try shown()
      do {
        try context.transaction {
          for (place, row) in rows {
            if let (_, value) = context.twoValues(for: place) {
              try context.store.updateRow(
                row, values: [PropertyValue(property: place.property, value: value)])
            }
            try context.store.deleteRow(row)
          }
          for row in Set(pairs.flatMap { [$0.source, $0.target] }) { try context.store.deleteRow(row) }
          throw Failure()
        }
      } catch is Failure {}
      let after = try shown()
      let differing = zip(before, after).filter { $0 != $1 }.map { "\($0), then \($1)" }
      try context.expect(
        differing.isEmpty, "a transaction that failed left \(differing.prefix(3).joined(separator: "; "))")
    },
  ]
}

/// Two rows of which one leads to the other.
private struct LinkedPair {
  var place: LawContext.Place
  var source: RowReference
  var target: RowReference

  /// A pair for each relationship.
  static func all(_ context: LawContext) throws -> [LinkedPair] {
    let toOnes = ((try? context.toOnes()) ?? []).map(\.place)
    let toManys = ((try? context.toManys()) ?? []).map(\.place)
    return try (toOnes + toManys).map { place in
      let target = try context.targets(of: place)[0]
      return try context.transaction {
        let pair = LinkedPair(
          place: place, source: try context.insert(place.entity, SyncID("source \(place)")),
          target: try context.insert(target, SyncID("target \(place)")))
        if toManys.contains(place) {
          try context.store.link(pair.source, place.property, to: pair.target)
        } else {
          try context.store.setTarget(of: pair.source, place.property, to: pair.target)
        }
        return pair
      }
    }
  }

  func shown(_ context: LawContext) throws -> String {
    let targets =
      if case .toMany = context.schema(place).kind {
        try context.store.targets(of: source, place.property)
      } else {
        [try context.target(of: source, place.property)].compactMap(\.self)
      }
    return "\(place) → \(targets.map(\.rawValue))"
  }
}
