import ObjectStore
import TICDSSQLite

/// A register with what was written to it.
struct Win {
  var bit: PropertyBit
  var content: Register.Content
}

/// The replicated state of a document, as one transaction works with it.
///
/// A set of cells, each merged by "greater stamp wins" (an LWW-element set after Shapiro et al., "A comprehensive study of
/// Convergent and Commutative Replicated Data Types", 2011): existence of an object, one register per attribute and to-one
/// relationship, one add/remove pair per to-many link, one place per member of an ordered relationship, and sets of
/// contributions. What rows show is derived from the cells by deterministic rules, so equal cells show equal objects.
///
/// Another connection may write between two transactions, so nothing read in one is used in the next.
final class Cells {
  let state: StateTable
  let names: NameTable
  let authors: AuthorTable
  let objects: ObjectTable
  let links: LinkTable
  let parked: ParkedTable
  let contests: ContestTable
  let places: PlaceTable
  let contributions: ContributionTable
  let unshown: UnshownTable
  let clearings: ClearingTable
  let connection: Connection

  /// Reads what is needed of the tables, inside a transaction.
  init(connection: Connection, schema: SyncSchema) throws {
    self.connection = connection
    state = StateTable(connection)
    names = try NameTable(connection: connection, schema: schema)
    authors = try AuthorTable(connection: connection)
    objects = try ObjectTable(connection: connection, authors: authors)
    links = try LinkTable(connection: connection, authors: authors)
    parked = try ParkedTable(connection: connection)
    contests = try ContestTable(connection: connection)
    places = try PlaceTable(connection: connection, authors: authors)
    contributions = try ContributionTable(connection: connection, authors: authors)
    unshown = UnshownTable(connection: connection)
    clearings = try ClearingTable(connection: connection)
  }

  typealias Slot = ObjectTable.Slot

  subscript(slot: Slot) -> ObjectRecord {
    get { objects[slot] }
    _modify { yield &objects[slot] }
  }

  /// The entity of an object.
  func entity(of slot: Slot) -> KnownEntity { entity(of: objects[slot]) }

  /// The entity of an object; the topmost of its family as long as only relationships of others have told of it. All
  /// properties of the family have their bits there, so whatever cells such an object has can be named.
  func entity(of record: ObjectRecord) -> KnownEntity {
    names[record.entity.isKnown ? record.entity : record.root]
  }

  /// A property of an object.
  func property(_ bit: PropertyBit, of slot: Slot) throws -> KnownProperty {
    try entity(of: slot).property(bit)
  }

  /// The record of an object that a relationship leads to, which is noted now if it is not known.
  func target(_ syncID: SyncID, of property: KnownProperty) throws -> Slot? {
    guard let destination = names.destination(of: property) else { return nil }
    return try objects.obtain(syncID, root: destination.number)
  }

  /// Whether a link shows, as far as cells tell: it was added later than removed, and than its source was deleted.
  static func isInEffect(_ cell: LinkTable.Cell, source: ObjectRecord) -> Bool {
    cell.added > cell.removed && cell.added > source.deleted
  }

  /// Notes a deletion, and erases what was said of the object before it; `nil` if it is known, or an earlier one.
  func delete(_ slot: Slot, at stamp: Stamp) throws -> CellEffect? {
    let before = self[slot]
    guard stamp > before.deleted else { return nil }
    _ = try contributions.erase(before.id, through: stamp)
    self[slot].delete(at: stamp)
    return .deleted(slot, before: before, at: stamp)
  }

  // MARK: Contributions

  /// How a property that is merged by folding becomes one value.
  func fold(_ property: KnownProperty) -> Fold { Fold(kind: property.merge, initial: property.initialValue) }

  /// Adds a contribution; `false` if it is there already or can never show.
  func add(_ contribution: Contribution, to slot: Slot, _ bit: PropertyBit, writer: AuthorID) throws -> Bool {
    guard contribution.origin > self[slot].deleted else { return false }
    self[slot].hasTraces = true
    let register = RegisterID(object: self[slot].id, bit: bit)
    // The stamp of a former self may be the first that is heard of him.
    _ = try authors.number(of: contribution.origin.author, client: "")
    let fold = fold(try property(bit, of: slot))
    if fold.kind == .greatest || fold.kind == .smallest {
      guard try makeRoom(for: contribution, to: register, fold) else { return false }
    }
    return try contributions.insert(.init(register: register, contribution: contribution), writer: writer)
  }

  /// Candidates of one time that a new one is compared with, at most.
  private static let equalTimes = 64

  /// Drops the candidates that can never show beside a new one; `false` if that is one of them.
  ///
  /// None of those that are kept dominates another, so the later one is the less it says: only its neighbours in time need be looked at. Of
  /// those of one time no more than some are: one that is kept needlessly never shows.
  private func makeRoom(for contribution: Contribution, to register: RegisterID, _ fold: Fold) throws -> Bool
  {
    let time = contribution.origin.time
    var isDominated = false
    var left = Self.equalTimes
    try contributions.visit(register, from: time) { other in
      isDominated = fold.isDominated(contribution, by: other)
      left -= 1
      return !isDominated && other.origin.time == time && left > 0
    }
    if isDominated { return false }
    var dominated: [Contribution] = []
    left = Self.equalTimes
    try contributions.visit(register, through: time) { other in
      let isLess = fold.isDominated(other, by: contribution)
      if isLess { dominated.append(other) } else { left -= 1 }
      return isLess || other.origin.time == time && left > 0
    }
    for other in dominated { try contributions.remove(.init(register: register, contribution: other)) }
    return true
  }
}
