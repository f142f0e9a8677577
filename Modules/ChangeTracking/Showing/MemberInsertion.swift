import ObjectStore

/// Puts members of one list between their neighbours, so that it costs the same however many members there are.
///
/// All other rows have to be in the order of their places already.
struct MemberInsertion {
  private struct Member {
    var id: RecordID
    var row: RowReference
    var place: PlaceKey
  }

  private let list: MemberListID
  private let local: OrderedList
  private let lists: MemberLists
  private let rows: RowWriter
  private let membership: MemberLists.Membership
  private let owner: RowReference?
  private let members: Set<RecordID>
  private(set) var ends: ListEnds?
  /// How many places of members that are gone may still be passed.
  private var goneLimit: Int

  init(
    _ members: Set<RecordID>, into list: MemberListID, _ local: OrderedList, lists: MemberLists,
    rows: RowWriter, ends: ListEnds?
  ) throws {
    self.ends = ends
    self.members = members
    self.list = list
    self.local = local
    self.lists = lists
    self.rows = rows
    membership = try lists.membership(of: list)
    owner = lists.reader.row(of: try lists.cells.objects[list.owner])
    goneLimit = 256 + 8 * members.count
  }

  /// - Returns: `false` if all rows have to be arranged.
  mutating func run() throws -> Bool {
    try lists.cells.objects.flush()
    guard let placed = try placedMembers() else { return false }
    var (rest, pending) = (placed[...], members)
    var isLast = false
    while let first = rest.first {
      guard let upper = try neighbours(.towardsEnd, of: first, count: 1, besides: pending) else {
        return false
      }
      isLast = upper.isWhole && upper.members.isEmpty
      let run = rest.prefix { member in upper.members.first.map { member.place < $0.place } ?? true }
      guard try insert(run, besides: pending) else { return false }
      pending.subtract(run.map(\.id))
      rest = rest.dropFirst(run.count)
    }
    if isLast, let last = placed.last { ends?.note(last.place, in: list) }
    return true
  }

  /// The members that are to be put somewhere, by their places; `nil` if places do not tell their order.
  private func placedMembers() throws -> [Member]? {
    var placed: [Member] = []
    for id in members {
      let record = try lists.cells.objects[id]
      guard let row = lists.reader.row(of: record), try lists.store.isMember(row, of: local) else { continue }
      guard let place = try lists.place(of: record, membership) else { return nil }
      placed.append(Member(id: id, row: row, place: place))
    }
    placed.sort { $0.place < $1.place }
    return zip(placed, placed.dropFirst()).allSatisfy { $0.place < $1.place } ? placed : nil
  }

  /// Puts members that follow each other between their neighbours. If these leave no room, more and more of the neighbours are moved too.
  private mutating func insert(_ run: ArraySlice<Member>, besides pending: Set<RecordID>) throws -> Bool {
    guard let first = run.first, let last = run.last else { return true }
    var count = 1
    while true {
      guard let lower = try neighbours(.towardsBeginning, of: first, count: count, besides: pending),
        let upper = try neighbours(.towardsEnd, of: last, count: count, besides: pending)
      else { return false }
      let before = lower.isWhole ? lower.members[...] : lower.members.dropLast()
      let behind = upper.isWhole ? upper.members[...] : upper.members.dropLast()
      if try rows.arrange(
        before.reversed().map(\.row) + run.map(\.row) + behind.map(\.row), of: local,
        between: lower.isWhole ? nil : lower.members.last?.row,
        and: upper.isWhole ? nil : upper.members.last?.row, owner: owner)
      {
        return true
      }
      if lower.isWhole, upper.isWhole { return false }
      count *= 16
    }
  }

  private struct Neighbours {
    /// From the nearest on.
    var members: [Member]
    /// Whether there are no others on this side.
    var isWhole: Bool
  }

  /// The members on one side of a member; `nil` if places do not tell their order, or if too many of these are of members that are gone.
  private mutating func neighbours(
    _ direction: PlaceTable.Direction, of member: Member, count: Int, besides pending: Set<RecordID>
  ) throws -> Neighbours? {
    if direction == .towardsEnd, ends?.isEnd(of: list, member.place) == true {
      return Neighbours(members: [], isWhole: true)
    }
    var neighbours: [Member] = []
    var (last, isDecided) = (member.place, true)
    var gone = 0
    try lists.cells.places.visitShownMembers(
      of: list.owner, list.bit, isInverse: list.isInverse, from: member.place, direction
    ) { shown in
      let id = list.isInverse ? shown.cell.pair.source : shown.cell.pair.target
      if pending.contains(id) { return true }
      guard let row = try lists.row(shown, membership), try lists.store.isMember(row, of: local) else {
        gone += 1
        isDecided = gone <= goneLimit
        return isDecided
      }
      // Which of two with one place comes first is decided by more than their places.
      isDecided = shown.cell.key != last
      last = shown.cell.key
      guard isDecided, neighbours.count < count else { return false }
      neighbours.append(Member(id: id, row: row, place: shown.cell.key))
      return true
    }
    goneLimit -= gone
    return isDecided ? Neighbours(members: neighbours, isWhole: neighbours.count < count) : nil
  }
}
