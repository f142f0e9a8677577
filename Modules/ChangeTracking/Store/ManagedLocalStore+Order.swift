import ObjectStore
import TICDSSQLite

/// Ordered relationships: the columns `Z_FOK_…`, of join tables or of rows with a to-one relationship.
extension ManagedLocalStore {
  /// Where a list is kept.
  private struct Columns {
    var table: String
    var owner: String
    var member: String
    var order: String
    /// The table of the members' rows.
    var rows: String
  }

  /// Core Data leaves so much between neighbours.
  private static let distance: Int64 = 1_024

  /// The rows of an ordered list, in their order.
  public func members(of list: OrderedList) throws -> [RowReference] { try places(of: list).map(\.row) }

  /// Puts the rows of an ordered list into an order, writing the places of those that must move.
  public func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] {
    guard let columns = columns(of: list) else { return [] }
    let present = Dictionary(
      try places(of: list).map { ($0.row, $0.place) }, uniquingKeysWith: { first, _ in first })
    let places = Self.places(members.map { present[$0] ?? nil })
    let statement = try connection.cached(
      "UPDATE \(columns.table) SET \(columns.order) = ? WHERE \(columns.owner) = ? AND \(columns.member) = ?")
    var moved: [RowReference] = []
    for (member, place) in zip(members, places) where present[member] != place {
      try statement.bind(place, at: 1)
      try statement.bind(list.owner.rawValue, at: 2)
      try statement.bind(member.row.rawValue, at: 3)
      try statement.run()
      moved.append(member)
    }
    return moved
  }

  /// Puts rows of an ordered list between two others. Places that are left over are shared out evenly.
  public func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?
  ) throws -> [RowReference]? {
    guard let columns = columns(of: list) else { return [] }
    var first: Int64 = 0
    if let lower {
      guard let place = try place(of: lower, in: list, columns), place > 0 else { return nil }
      first = place
    }
    let step: Int64
    if let upper {
      guard let end = try place(of: upper, in: list, columns), end > first else { return nil }
      step = (end - first) / Int64(members.count + 1)
      guard step >= Self.leastDistance(ofNewPlaces: members.count) else { return nil }
    } else {
      guard try isEnd(lower == nil ? .min : first, of: list, besides: members, columns), first < Int64.max / 2
      else { return nil }
      step = Self.distance
    }
    let update = try connection.cached(
      """
      UPDATE \(columns.table) SET \(columns.order) = ?1 \
      WHERE \(columns.owner) = ?2 AND \(columns.member) = ?3 AND \(columns.order) IS NOT ?1
      """)
    var moved: [RowReference] = []
    for (index, member) in members.enumerated() {
      try update.bind(first + step * Int64(index + 1), at: 1)
      try update.bind(list.owner.rawValue, at: 2)
      try update.bind(member.row.rawValue, at: 3)
      try update.run()
      if connection.changes > 0 { moved.append(member) }
    }
    return moved
  }

  /// What is to lie between neighbours after so many got new places, so that more of the list gets new ones the rarer the more that is
  /// (Itai, Konheim and Rodeh, "A Sparse Table Implementation of Priority Queues", 1981).
  private static func leastDistance(ofNewPlaces count: Int) -> Int64 {
    if count < 16 { return Int64(count) }
    return 8 * Int64(Int.bitWidth - count.leadingZeroBitCount)
  }

  /// Whether a row is in an ordered list.
  public func isMember(_ row: RowReference, of list: OrderedList) throws -> Bool {
    guard let columns = columns(of: list) else { return false }
    return try place(of: row, in: list, columns) != nil
  }

  /// Where a member stands, which is at 0 if it has got no place yet; `nil` if it is no member.
  private func place(of member: RowReference, in list: OrderedList, _ columns: Columns) throws -> Int64? {
    let selection = try connection.cached(
      "SELECT \(columns.order) FROM \(columns.table) WHERE \(columns.owner) = ? AND \(columns.member) = ?")
    try selection.bind(list.owner.rawValue, at: 1)
    try selection.bind(member.row.rawValue, at: 2)
    defer { selection.reset() }
    return try selection.step() ? selection.optionalInt64(0) ?? 0 : nil
  }

  /// Whether none but some rows are behind a place in a list. Rows that have got no place yet are behind none.
  private func isEnd(
    _ place: Int64, of list: OrderedList, besides others: [RowReference], _ columns: Columns
  ) throws -> Bool {
    let others = Set(others.map(\.row))
    let selection = try connection.cached(
      """
      SELECT \(columns.member) FROM \(columns.table) \
      WHERE \(columns.owner) = ?1 AND (\(columns.order) > ?2 OR \(columns.order) IS NULL)
      """)
    try selection.bind(list.owner.rawValue, at: 1)
    try selection.bind(place, at: 2)
    defer { selection.reset() }
    while try selection.step() {
      if !others.contains(RowNumber(rawValue: selection.int64(0))) { return false }
    }
    return true
  }

  /// Ascending places, as many as can be of those that are there.
  static func places(_ present: [Int64?]) -> [Int64] {
    let stays = AscendingSubsequence.members(of: present.map { $0.flatMap { $0 > 0 ? $0 : nil } })
    var places: [Int64] = []
    var last: Int64 = 0
    var index = 0
    while index < present.count {
      let end = present.indices[index...].first { stays[$0] } ?? present.count
      let count = Int64(end - index)
      let next = end < present.count ? present[end] : nil
      let step = next.map { ($0 - last) / (count + 1) } ?? distance
      // No room is left between two that were to stay.
      guard step > 0, last < Int64.max / 2 else {
        return (0..<Int64(present.count)).map { ($0 + 1) * distance }
      }
      for offset in 0..<count { places.append(last + (offset + 1) * step) }
      last = next ?? 0
      if let next { places.append(next) }
      index = end + 1
    }
    return places
  }

  private func places(of list: OrderedList) throws -> [(row: RowReference, place: Int64?)] {
    guard let columns = columns(of: list) else { return [] }
    let statement = try connection.cached(
      """
      SELECT t.Z_PK, t.Z_ENT, l.\(columns.order) FROM \(columns.table) l \
      JOIN \(columns.rows) t ON t.Z_PK = l.\(columns.member) \
      WHERE l.\(columns.owner) = ? ORDER BY l.\(columns.order), t.Z_PK
      """)
    try statement.bind(list.owner.rawValue, at: 1)
    var rows: [(RowReference, Int64?)] = []
    while try statement.step() {
      guard let entity = synchronizedEntity(numbered: statement.int64(1)) else { continue }
      rows.append(
        (
          RowReference(entity: entity, row: RowNumber(rawValue: statement.int64(0))),
          statement.optionalInt64(2)
        ))
    }
    return rows
  }

  private func columns(of list: OrderedList) -> Columns? {
    let (table, storage) = storage(of: list)
    switch storage {
    case .toOne(let toOne):
      guard let order = toOne.order else { return nil }
      return Columns(
        table: quoted(table.name), owner: quoted(toOne.key), member: "Z_PK", order: quoted(order),
        rows: quoted(table.name))
    case .join(let side):
      let (own, member) = (quoted(side.ownColumn), quoted(side.memberColumn))
      let reverse = side.isReversed ? side.table.targetOrder : side.table.sourceOrder
      guard let order = list.isInverse ? reverse : side.orderColumn else { return nil }
      return Columns(
        table: quoted(side.table.name), owner: list.isInverse ? member : own,
        member: list.isInverse ? own : member, order: quoted(order),
        rows: quoted(tableOfMembers(side, isSource: list.isInverse != side.isReversed)))
    case .memory, .attribute, .inverse: return nil
    }
  }

  /// Where the canonical end of the relationship is kept.
  private func storage(of list: OrderedList) -> (EntityTable, PropertyStorage) {
    let known = managed(list.entity)
    let table = store.schema.table(of: known.description)
    return (table, table.storage[known[list.property]])
  }

  /// The table with the rows on one side of a join table.
  private func tableOfMembers(_ side: JoinSide, isSource: Bool) -> String {
    store.schema.tables[isSource ? side.table.sourceEntity : side.table.targetEntity].name
  }

  private func quoted(_ name: String) -> String { "\"\(name)\"" }
}
