import ChangeTracking
import ObjectStore

extension LocalStoreConformance {
  static let listLaws = [
    Law("an ordered list shows the order that it was given") { context in
      let places = try context.some(context.places { !$0.order.isEmpty }, "ordered relationships")
      for place in places {
        for isInverse in [false, true]
        where context.schema(place).order.contains(isInverse ? .sources : .targets) {
          let (list, members) = try context.transaction { try makeList(place, isInverse: isInverse, context) }
          for order in [members.reversed(), [members[1], members[2], members[0]]] {
            try context.transaction { _ = try context.store.arrange(order, of: list) }
            let found = try context.store.members(of: list)
            try context.expect(
              found == order,
              "\(place) shows \(found.map(\.row.rawValue)) after \(order.map(\.row.rawValue)) was arranged")
          }
          let moved = try context.transaction {
            try context.store.arrange([members[0], members[1], members[2]], of: list)
          }
          try context.expect(!moved.isEmpty, "\(place) was arranged anew, and no row was reported")
          try context.transaction {
            try context.store.deleteRow(members[1])
          }
          try context.expect(
            try context.store.members(of: list) == [members[0], members[2]],
            "\(place) lost its order when a member was deleted")
        }
      }
    },
    Law("a long list keeps its order through many moves") { context in
      let places = try context.some(context.places { !$0.order.isEmpty }, "ordered relationships")
      var random = SeededRandom(state: 1)
      for place in places {
        for isInverse in [false, true]
        where context.schema(place).order.contains(isInverse ? .sources : .targets) {
          let (list, members) = try context.transaction {
            try makeList(place, isInverse: isInverse, count: 50, context)
          }
          var order = members.shuffled(using: &random)
          for move in 0..<80 {
            // Ever into the same gap, which is where places run out; then anywhere.
            let from = Int.random(in: order.indices, using: &random)
            let member = order.remove(at: from)
            order.insert(member, at: move < 60 ? 25 : Int.random(in: 0...order.count, using: &random))
            let moved = try context.transaction { try context.store.arrange(order, of: list) }
            let found = try context.store.members(of: list)
            try context.expect(
              found == order,
              "\(place) of 50 members shows another order than it was given after \(move + 1) moves")
            try context.expect(
              Set(moved).isSubset(of: order), "\(place) reports rows as moved that are not in the list")
          }
        }
      }
    },
    Law("rows of a list come behind all others, or nothing is written") { context in
      let places = try context.some(context.places { !$0.order.isEmpty }, "ordered relationships")
      for place in places {
        for isInverse in [false, true]
        where context.schema(place).order.contains(isInverse ? .sources : .targets) {
          let (list, members) = try context.transaction {
            try makeList(place, isInverse: isInverse, count: 5, context)
          }
          var order = [3, 0, 4, 1].map { members[$0] }
          try context.transaction { _ = try context.store.arrange(order + [members[2]], of: list) }
          // The last of the others, then one that is not the last, then none though there are some.
          for (appended, last) in [([2, 3], 1), ([0], 4), ([0], nil)] as [([Int], Int?)] {
            let rows = appended.map { members[$0] }
            let before = try context.store.members(of: list)
            let moved = try context.transaction {
              try context.store.append(rows, to: list, after: last.map { members[$0] })
            }
            order = moved == nil ? before : before.filter { !rows.contains($0) } + rows
            let found = try context.store.members(of: list)
            try context.expect(
              found == order,
              "\(place) shows \(found.map(\.row.rawValue)), not \(order.map(\.row.rawValue)), after rows were put behind all others"
            )
            try context.expect(
              moved == nil || last == 1, "\(place) put rows behind one that is not the last of the others")
          }
        }
      }
    },
  ]

  private static func makeList(
    _ place: LawContext.Place, isInverse: Bool, count: Int = 3, _ context: LawContext
  ) throws -> (OrderedList, [RowReference]) {
    let (store, kind) = (context.store, context.schema(place).kind)
    let destination = kind.destination ?? store.schema[place.entity].root
    let target = try context.entity(below: destination)
    let tag = "\(place)\(isInverse)"
    let owner = try context.insert(isInverse ? target : place.entity, SyncID("owner \(tag)"))
    let members = try (0..<count).map {
      try context.insert(isInverse ? place.entity : target, SyncID("member \(tag) \($0)"))
    }
    for member in members {
      let (source, target) = isInverse ? (member, owner) : (owner, member)
      if case .toMany = kind {
        try store.link(source, place.property, to: target)
      } else {
        try store.setTarget(of: source, place.property, to: target)
      }
    }
    let list = OrderedList(
      entity: place.entity, property: place.property, isInverse: isInverse, owner: owner.row)
    return (list, members)
  }
}
