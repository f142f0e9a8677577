import ChangeTracking
import Foundation
import ObjectStore
import TICDSSQLite

/// How the engine finds rows that no log mentions, and rows in a copy.
extension LocalStoreConformance {
  static let searchLaws = [
    Law("a row is found by its sync ID, and no other is") { context in
      for (number, entity) in try context.searchable().enumerated() {
        let (row, _) = try context.transaction {
          (
            try context.insert(entity, LawContext.syncID(2 * number)),
            try context.insert(entity, LawContext.syncID(2 * number + 1))
          )
        }
        try context.expect(
          try context.store.row(entity, syncID: LawContext.syncID(2 * number)) == row.row,
          "a row was not found by its sync ID")
        try context.expect(
          try context.store.row(entity, syncID: SyncID("nobody's")) == nil,
          "a row was found by a sync ID that none has")
      }
    },
    Law("the rows of an entity come in the order of their numbers, and in parts") { context in
      for (number, entity) in try context.searchable().enumerated() {
        let rows = try context.transaction {
          try (0..<7).map { try context.insert(entity, LawContext.syncID(10 * number + $0)).row }
        }
        var found: [RowNumber] = []
        while true {
          let part = try context.store.rows(
            entity,
            after: found.last ?? (rows[0].rawValue == 1 ? .none : RowNumber(rawValue: rows[0].rawValue - 1)),
            limit: 3, withoutSyncID: false)
          try context.expect(part.count <= 3, "of at most 3 rows asked for, \(part.count) came")
          if part.isEmpty { break }
          found += part
          if found.count > 20 { break }
        }
        try context.expect(
          found == rows, "of the rows \(rows.map(\.rawValue)), \(found.map(\.rawValue)) were found")
        let identified = try context.store.identifiedRows(
          entity, after: RowNumber(rawValue: rows[0].rawValue - 1), limit: 3)
        let expected = try rows.prefix(3).map { row in
          IdentifiedRow(
            row: row, syncID: try context.store.readRow(RowReference(entity: entity, row: row), [])?.syncID)
        }
        try context.expect(
          identified == expected, "rows come with other sync IDs, or in another order, than they have")
        let last = try context.store.lastRow(entity, in: context.store.database)
        try context.expect(last == rows.last, "the last row is said to be \(last.rawValue)")
      }
    },
    Law("rows without a sync ID are told from others") { context in
      for (number, entity) in try context.searchable().enumerated() {
        let row = try context.transaction { try context.insert(entity, LawContext.syncID(number)) }
        let without = try context.store.rows(entity, after: .none, limit: 10, withoutSyncID: true)
        try context.expect(without.isEmpty, "a row with a sync ID is said to have none")
        try context.transaction { try context.store.setSyncID(SyncID("given \(number)"), of: row) }
        try context.expect(
          try context.store.readRow(row, [])?.syncID == SyncID("given \(number)"),
          "a row does not carry the sync ID that it was given")
      }
    },
    Law("a row is found by values that must be unique") { context in
      var isTried = false
      for entity in context.entities {
        for constraint in context.store.schema[entity].uniqueness {
          let places = context.attributes.filter { $0.entity == entity && constraint.contains($0.property) }
          let pairs = places.compactMap { place in context.twoValues(for: place).map { (place, $0) } }
          guard pairs.count == constraint.count else { continue }
          isTried = true
          let values = pairs.map { PropertyValue(property: $0.0.property, value: $0.1.0) }
          let others = pairs.map { PropertyValue(property: $0.0.property, value: $0.1.1) }
          let row = try context.transaction { try context.insert(entity, SyncID("unique"), values) }
          try context.expect(
            try context.store.row(entity, with: values) == row, "a row was not found by its unique values")
          try context.expect(
            try context.store.row(entity, with: others) == nil,
            "a row was found by values that it does not show")
          try context.transaction { try context.store.deleteRow(row) }
        }
      }
      if !isTried { throw LawSkipped(reason: "the store has no uniqueness constraints") }
    },
    Law("unique values that look alike are different") { context in
      var isTried = false
      for (entity, constraint) in context.constraints {
        guard constraint.allSatisfy({ context.store.canHold(.string("Ann"), entity, $0) }) else { continue }
        isTried = true
        func values(_ text: String) -> [PropertyValue] {
          constraint.map { PropertyValue(property: $0, value: .string(text)) }
        }
        let texts = ["Ann", "ann", "ANN", "Ann ", " Ann", "\u{c5}nn", "A\u{30a}nn"]
        for (number, text) in texts.enumerated() {
          let row = try context.transaction {
            try context.insert(entity, SyncID("alike \(number)"), values(text))
          }
          for other in texts {
            let found = try context.store.row(entity, with: values(other))
            let isSame = other.utf8.elementsEqual(text.utf8)
            try context.expect(
              found == (isSame ? row : nil),
              "a row that shows “\(text)” was \(isSame ? "not " : "")found by “\(other)”")
          }
          try context.transaction { try context.store.deleteRow(row) }
        }
      }
      if !isTried { throw LawSkipped(reason: "no uniqueness constraint is of texts alone") }
    },
    Law("who holds a unique value is found in the whole family, as what it is") { context in
      var isTried = false
      for (entity, constraint) in context.constraints {
        let schema = context.store.schema
        let names = constraint.map { schema[entity][$0].name }
        for (sibling, other) in context.constraints
        where sibling != entity && schema[sibling].root == schema[entity].root
          && other.map({ schema[sibling][$0].name }) == names
        {
          let pairs = zip(constraint, other).compactMap { own, their -> (PropertyValue, PropertyValue)? in
            let place = LawContext.Place(entity: sibling, property: their, name: "")
            return context.twoValues(for: place).map {
              (PropertyValue(property: own, value: $0.0), PropertyValue(property: their, value: $0.0))
            }
          }
          guard pairs.count == constraint.count else { continue }
          isTried = true
          let row = try context.transaction {
            try context.insert(sibling, SyncID("holder"), pairs.map(\.1))
          }
          let found = try context.store.row(entity, with: pairs.map(\.0))
          try context.expect(
            found == row,
            "a \(schema[sibling].name) that holds what a \(schema[entity].name) looks for is \(String(describing: found))"
          )
          try context.transaction { try context.store.deleteRow(row) }
        }
      }
      if !isTried { throw LawSkipped(reason: "no two entities share a uniqueness constraint") }
    },
    Law("a copy holds what the store holds") { context in
      guard let open = context.storage.openCopy else {
        throw LawSkipped(reason: "nobody said how to open a copy")
      }
      let folder = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var rows: [(RowReference, LawContext.Place?, StoredContent?)] = []
      for (number, entity) in context.entities.enumerated() {
        let place = context.attributes.first {
          $0.entity == entity && !context.isUnique($0) && context.twoValues(for: $0) != nil
        }
        let values = place.flatMap { place in
          context.twoValues(for: place).map { [PropertyValue(property: place.property, value: $0.1)] }
        }
        let row = try context.transaction {
          try context.insert(entity, LawContext.syncID(number), values ?? [])
        }
        rows.append((row, place, try place.map { try context.content(row, $0.property) }))
      }
      let path = folder.appending(path: "copy").path(percentEncoded: false)
      try context.store.copy(to: path, as: path)
      let copy = try open(path)
      for (row, place, content) in rows {
        let found = try copy.readRow(row, place.map { [$0.property] } ?? [])
        try context.expect(found?.syncID != nil, "a row is not in the copy")
        if let content {
          try context.expect(found?.contents == [content], "the copy shows \(found?.contents ?? [])")
        }
      }
    },
  ]
}

extension LawContext {
  /// The uniqueness constraints, with their entities.
  fileprivate var constraints: [(entity: LocalEntity, constraint: [LocalProperty])] {
    entities.flatMap { entity in store.schema[entity].uniqueness.map { (entity, $0) } }
  }

  /// The entities, if the store finds rows that no log mentions.
  func searchable() throws -> [LocalEntity] {
    let probe = try anotherStore()
    guard let entity = probe.entities.first else { throw LawSkipped(reason: "the store has no entities") }
    try probe.transaction { _ = try probe.insert(entity, SyncID("probe")) }
    if try probe.store.lastRow(entity, in: probe.store.database) == .none {
      throw LawSkipped(reason: "nobody writes into the store past the log")
    }
    return entities
  }
}
