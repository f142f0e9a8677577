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
        guard case .toOne(_, let isExclusive) = context.schema(place).kind else { continue }
        let count = isExclusive ? 1 : 3
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
    Law("a link is there once, however often it is added, and goes when it is removed") { context in
      for (number, (place, destination, isSymmetric)) in try context.toManys().enumerated() {
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
        if try context.store.targets(of: source, place.property).isEmpty {
          throw LawSkipped(reason: "the store does not tell the targets of \(place)")
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
