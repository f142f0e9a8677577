import ChangeTracking
import ObjectStore

extension LocalStoreConformance {
  static let relationshipLaws = [
    Law("a to-one relationship shows its target until it is cleared") { context in
      for (number, (place, destination)) in try context.toOnes().enumerated() {
        let (source, first, second) = try context.transaction {
          (
            try context.insert(place.entity, LawContext.syncID(3 * number)),
            try context.insert(context.entity(below: destination), LawContext.syncID(3 * number + 1)),
            try context.insert(context.entity(below: destination), LawContext.syncID(3 * number + 2))
          )
        }
        for target in [nil, first, second, nil] {
          try context.transaction { try context.store.setTarget(of: source, place.property, to: target) }
          let found = try context.target(of: source, place.property)
          try context.expect(
            found == target?.row,
            "\(place) shows \(String(describing: found)) after it was set to \(String(describing: target?.row))"
          )
        }
      }
    },
    Law("the sources of a target are found, all and no others") { context in
      for (number, (place, destination)) in try context.toOnes().enumerated() {
        let count = if case .toOne(_, false) = context.schema(place).kind { 3 } else { 1 }
        let (sources, target, other) = try context.transaction {
          let target = try context.insert(context.entity(below: destination), LawContext.syncID(10 * number))
          let other = try context.insert(
            context.entity(below: destination), LawContext.syncID(10 * number + 1))
          let sources = try (2..<2 + count).map {
            try context.insert(place.entity, LawContext.syncID(10 * number + $0))
          }
          for source in sources { try context.store.setTarget(of: source, place.property, to: target) }
          return (sources, target, other)
        }
        let found = try context.store.sources(place.entity, place.property, to: target.row)
        try context.expect(
          Set(found) == Set(sources.map(\.row)) && found.count == count,
          "of \(count) sources of \(place), \(found.count) were found")
        try context.expect(
          try context.store.sources(place.entity, place.property, to: other.row).isEmpty,
          "\(place) has sources of a target that nobody shows")
        try context.transaction { for row in sources + [target, other] { try context.store.deleteRow(row) } }
      }
    },
    Law("the sources of a target are told apart by their entities") { context in
      var isTried = false
      for (place, _) in try context.toOnes() {
        let siblings = context.entities.filter { entity in
          entity != place.entity
            && context.store.schema[entity].root == context.store.schema[place.entity].root
            && context.store.schema[entity].properties.contains { $0.name == context.schema(place).name }
        }
        for sibling in siblings {
          guard
            let index = context.store.schema[sibling].properties.firstIndex(where: {
              $0.name == context.schema(place).name && $0.kind == context.schema(place).kind
            }), let other = try context.targets(of: place).first
          else { continue }
          isTried = true
          let (target, source) = try context.transaction {
            let rows = (
              try context.insert(other, SyncID("target \(place) \(sibling)")),
              try context.insert(sibling, SyncID("source \(place) \(sibling)"))
            )
            try context.store.setTarget(of: rows.1, LocalProperty(rawValue: index), to: rows.0)
            return rows
          }
          let own = try context.store.sources(place.entity, place.property, to: target.row)
          try context.expect(own.isEmpty, "a source of another entity is said to be one of \(place)")
          let found = try context.store.sources(sibling, LocalProperty(rawValue: index), to: target.row)
          try context.expect(found == [source.row], "a source that inherits \(place) was not found")
        }
      }
      if !isTried { throw LawSkipped(reason: "no two entities of a family have a to-one relationship") }
    },
    Law("every entity that a relationship leads to can be its target") { context in
      var isTried = false
      for (place, _) in try context.toOnes() {
        for (number, entity) in try context.targets(of: place).enumerated() {
          isTried = true
          let (source, target) = try context.transaction {
            let rows = (
              try context.insert(place.entity, SyncID("source \(place) \(number)")),
              try context.insert(entity, SyncID("target \(place) \(number)"))
            )
            try context.store.setTarget(of: rows.0, place.property, to: rows.1)
            return rows
          }
          let found = try context.target(of: source, place.property)
          try context.expect(
            found == target.row, "\(place) does not show a \(context.store.schema[entity].name)")
          let identity = try found.flatMap {
            try context.store.identity(of: $0, below: context.root(of: target))
          }
          try context.expect(
            identity?.entity == entity,
            "\(place) shows a \(context.store.schema[entity].name) as another entity")
        }
      }
      if !isTried { throw LawSkipped(reason: "the store has no to-one relationships") }
    },
    Law("partners show each other once each was told, and part") { context in
      let partners = try context.some(
        context.places { if case .partner = $0.kind { true } else { false } },
        "one-to-one relationships that are their own inverse")
      for place in partners {
        let (left, right) = try context.transaction {
          (
            try context.insert(place.entity, SyncID("left \(place)")),
            try context.insert(place.entity, SyncID("right \(place)"))
          )
        }
        func expect(_ expected: (RowReference?, RowReference?), _ when: String) throws {
          let found = (
            try context.target(of: left, place.property), try context.target(of: right, place.property)
          )
          try context.expect(
            found == (expected.0?.row, expected.1?.row), "\(place) of two rows shows \(found) \(when)")
        }
        func set(_ row: RowReference, _ target: RowReference?) throws {
          try context.store.setTarget(of: row, place.property, to: target)
        }
        try context.transaction {
          try set(left, right)
          try set(right, left)
        }
        try expect((right, left), "after each was told of the other")
        try context.transaction {
          try set(left, nil)
          try set(right, nil)
        }
        try expect((nil, nil), "after both were cleared")
        try context.transaction { try set(left, left) }
        try expect((left, nil), "after one was made its own partner")
      }
    },
    Law("a link is there once, however often it is added, and goes when it is removed") { context in
      let places = try context.toManys()
      try context.requireTargets()
      for (number, (place, destination, isSymmetric)) in places.enumerated() {
        let (source, other, first, second) = try context.transaction {
          let entity = try context.entity(below: destination)
          return (
            try context.insert(place.entity, LawContext.syncID(4 * number)),
            try context.insert(place.entity, LawContext.syncID(4 * number + 1)),
            try context.insert(entity, LawContext.syncID(4 * number + 2)),
            try context.insert(entity, LawContext.syncID(4 * number + 3))
          )
        }
        func expect(_ rows: [RowReference], _ when: String) throws {
          let found = try context.store.targets(of: source, place.property)
          try context.expect(
            Set(found) == Set(rows.map(\.row)) && found.count == rows.count,
            "\(place) shows \(found.count) of \(rows.count) targets \(when)")
        }
        try context.transaction {
          for _ in 0..<2 { try context.store.link(source, place.property, to: first) }
          try context.store.link(other, place.property, to: second)
        }
        try expect([first], "after one was added twice")
        if isSymmetric {
          let back = try context.store.targets(of: first, place.property)
          try context.expect(back == [source.row], "\(place) is symmetric and shows from one side only")
        }
        try context.transaction {
          try context.store.unlink(source, place.property, from: second)
          try context.store.link(source, place.property, to: second)
          for _ in 0..<2 { try context.store.unlink(source, place.property, from: first) }
        }
        try expect([second], "after one was removed")
        let beside = try context.store.targets(of: other, place.property)
        try context.expect(beside == [second.row], "\(place) of another row changed")
      }
    },
    Law("deleting a row clears what leads to it, and deletes nothing else") { context in
      var number = 0
      func row(_ entity: LocalEntity) throws -> RowReference {
        number += 1
        return try context.insert(entity, LawContext.syncID(number))
      }
      for (place, destination) in (try? context.toOnes()) ?? [] {
        let (source, target) = try context.transaction {
          let rows = (try row(place.entity), try row(context.entity(below: destination)))
          try context.store.setTarget(of: rows.0, place.property, to: rows.1)
          return rows
        }
        try context.transaction { try context.store.deleteRow(target) }
        try context.expect(
          try context.target(of: source, place.property) == nil, "\(place) leads to a row that is gone")
        try context.transaction { try context.store.deleteRow(source) }
      }
      for (place, destination, _) in (try? context.toManys()) ?? [] {
        for deletesTarget in [true, false] {
          let (source, target) = try context.transaction {
            let rows = (try row(place.entity), try row(context.entity(below: destination)))
            try context.store.link(rows.0, place.property, to: rows.1)
            return rows
          }
          try context.transaction { try context.store.deleteRow(deletesTarget ? target : source) }
          let left = deletesTarget ? source : target
          try context.expect(try context.store.readRow(left, []) != nil, "a deletion along \(place) went on")
          if deletesTarget {
            try context.expect(
              try context.store.targets(of: source, place.property).isEmpty,
              "\(place) leads to a row that is gone")
          }
        }
      }
      if number == 0 { throw LawSkipped(reason: "the store has no relationships") }
    },
  ]
}

extension LawContext {
  /// Skips the law if the store tells the targets of no relationship. One that others may write into past the log tells all.
  fileprivate func requireTargets() throws {
    let probe = try anotherStore()
    for (place, destination, _) in try probe.toManys() {
      let source = try probe.transaction {
        let rows = (
          try probe.insert(place.entity, SyncID("probe \(place)")),
          try probe.insert(probe.entity(below: destination), SyncID("probed \(place)"))
        )
        try probe.store.link(rows.0, place.property, to: rows.1)
        return rows.0
      }
      if try !probe.store.targets(of: source, place.property).isEmpty { return }
      // So that a store which never tells targets is not taken for one that need not.
      if try probe.store.lastRow(place.entity, in: probe.store.database) != .none { return }
    }
    throw LawSkipped(reason: "the store does not tell the targets of relationships")
  }
}
