import ChangeTracking
import ObjectStore

extension LocalStoreConformance {
  static let valueLaws = [
    Law("every value that an attribute can hold comes back as it was written") { context in
      var number = 0
      for place in try context.some(context.attributes, "attributes") {
        for value in context.values(for: place) {
          let written = [PropertyValue(property: place.property, value: value)]
          number += 1
          let row = try context.transaction {
            try context.insert(place.entity, LawContext.syncID(number), written)
          }
          try expect(value, in: row, place, "inserted", context)
          number += 1
          let other = try context.transaction { try context.insert(place.entity, LawContext.syncID(number)) }
          // One at a time, for values may have to be unique.
          try context.transaction {
            try context.store.deleteRow(row)
            try context.store.updateRow(other, values: written)
          }
          try expect(value, in: other, place, "updated", context)
          try context.transaction { try context.store.deleteRow(other) }
        }
      }
    },
    Law("what nobody wrote shows what the schema calls blank") { context in
      for (number, place) in try context.some(context.attributes, "attributes").enumerated() {
        let row = try context.transaction { try context.insert(place.entity, LawContext.syncID(number)) }
        let blank = context.schema(place).blank
        let found = try context.content(row, place.property)
        try context.expect(found == .value(blank), "\(place) shows \(found) at first, not \(blank)")
        try context.transaction { try context.store.deleteRow(row) }
      }
    },
    Law("an update leaves other properties and other rows alone") { context in
      let places = try context.some(
        context.attributes.filter { context.twoValues(for: $0) != nil }, "attributes")
      for (number, place) in places.enumerated() {
        guard let (first, second) = context.twoValues(for: place) else { continue }
        let siblings = places.filter { $0.entity == place.entity && $0 != place }
        let values = [PropertyValue(property: place.property, value: first)]
        let others = siblings.compactMap { sibling in
          context.twoValues(for: sibling).map { PropertyValue(property: sibling.property, value: $0.0) }
        }
        let (row, other) = try context.transaction {
          (
            try context.insert(place.entity, LawContext.syncID(2 * number), values + others),
            try context.insert(place.entity, LawContext.syncID(2 * number + 1))
          )
        }
        let before = try siblings.map { try context.content(row, $0.property) }
        let beside = try context.content(other, place.property)
        try context.transaction {
          try context.store.updateRow(row, values: [PropertyValue(property: place.property, value: second)])
        }
        try context.expect(
          try siblings.map { try context.content(row, $0.property) } == before,
          "writing \(place) changed another property")
        try context.expect(
          try context.content(other, place.property) == beside, "writing \(place) changed another row")
        try context.transaction {
          try context.store.deleteRow(row)
          try context.store.deleteRow(other)
        }
      }
    },
    Law("contents come in the order in which they were asked for") { context in
      for entity in context.entities {
        let places = context.attributes.filter { $0.entity == entity && context.twoValues(for: $0) != nil }
        guard places.count > 1 else { continue }
        let values = places.compactMap { place in
          context.twoValues(for: place).map { PropertyValue(property: place.property, value: $0.0) }
        }
        let row = try context.transaction { try context.insert(entity, LawContext.syncID(1), values) }
        for order in [places, places.reversed()] {
          let together = try context.store.readRow(row, order.map(\.property))?.contents
          let singly = try order.map { try context.content(row, $0.property) }
          try context.expect(together == singly, "of several properties, contents came as \(together ?? [])")
        }
        try context.transaction { try context.store.deleteRow(row) }
      }
    },
  ]

  private static func expect(
    _ value: AttributeValue, in row: RowReference, _ place: LawContext.Place, _ how: String,
    _ context: LawContext
  ) throws {
    let found = try context.content(row, place.property)
    guard case .value(let shown) = found, shown.isIdentical(to: value) else {
      throw StoreConformanceFailure(
        description: "\(place) \(how) with \(value) shows \(found), though it says it can hold that")
    }
  }
}
