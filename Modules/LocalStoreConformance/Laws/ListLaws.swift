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
    Law("rows of a list come between two others, or nothing is written") { context in
      let places = try context.some(context.places { !$0.order.isEmpty }, "ordered relationships")
      for place in places {
        for isInverse in [false, true]
        where context.schema(place).order.contains(isInverse ? .sources : .targets) {
          let (list, members) = try context.transaction {
            try makeList(place, isInverse: isInverse, count: 6, context)
          }
          // What comes, what is before it and behind it; then where others come last, and where the two are not in this order.
          for (rows, lower, upper, isPossible) in [
            ([5], 1, 2, true), ([5, 4], 0, 1, true), ([3], nil, 0, true), ([1, 0], 5, nil, true),
            ([0], 4, nil, false), ([0], nil, nil, false), ([0], 4, 2, false),
          ] as [([Int], Int?, Int?, Bool)] {
            let before = members
            try context.transaction { _ = try context.store.arrange(before, of: list) }
            let coming = rows.map { members[$0] }
            let moved = try context.transaction {
              try context.store.arrange(
                coming, of: list, between: lower.map { members[$0] }, and: upper.map { members[$0] })
            }
            var order = before
            if moved != nil {
              order.removeAll(where: coming.contains)
              let index = upper.flatMap { order.firstIndex(of: members[$0]) } ?? order.endIndex
              order.insert(contentsOf: coming, at: index)
            }
            let found = try context.store.members(of: list)
            try context.expect(
              found == order,
              "\(place) shows \(found.map(\.row.rawValue)), not \(order.map(\.row.rawValue)), after rows were put between others"
            )
            try context.expect(moved == nil || isPossible, "\(place) put rows where they cannot be put")
          }
        }
      }
    },
    Law("a row is in the lists that show it") { context in
      let places = try context.some(context.places { !$0.order.isEmpty }, "ordered relationships")
      for place in places {
        for isInverse in [false, true]
        where context.schema(place).order.contains(isInverse ? .sources : .targets) {
          let (list, members) = try context.transaction { try makeList(place, isInverse: isInverse, context) }
          let other = try context.transaction {
            try makeList(place, isInverse: isInverse, context, tag: "other")
          }
          for (row, isMember) in members.map({ ($0, true) }) + other.1.map({ ($0, false) }) {
            try context.expect(
              try context.store.isMember(row, of: list) == isMember,
              "\(place) has row \(row.row.rawValue) in its list: \(!isMember)")
          }
        }
      }
    },
  ]

  private static func makeList(
    _ place: LawContext.Place, isInverse: Bool, count: Int = 3, _ context: LawContext, tag name: String = ""
  ) throws -> (OrderedList, [RowReference]) {
    let (store, kind) = (context.store, context.schema(place).kind)
    let destination = kind.destination ?? store.schema[place.entity].root
    let target = try context.entity(below: destination)
    let tag = "\(place)\(isInverse)\(name)"
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
