import ChangeTracking
import ObjectStore

/// The rules of merging written as plainly as possible: dictionaries of cells, recomputed from all sets, no database.
///
/// Whatever decides here is compared by ``PlainStamp``, ``PlainID`` and ``PlainContent``, not by what the module compares with.
public struct ReferenceState {
  struct Object: Hashable {
    /// Sync IDs are unique below a root.
    var root: String
    var id: PlainID
  }

  struct Cell: Hashable {
    var object: Object
    var key: String
  }

  struct Pair: Hashable {
    var source: Object
    var key: String
    var target: Object
  }

  /// A place of one end of a pair among the members of the other.
  struct Place: Hashable {
    var pair: Pair
    var isInverse: Bool
  }

  struct Contribution: Hashable {
    var stamp: PlainStamp
    var value: AttributeValue
  }

  /// What a register holds.
  enum Content {
    case value(AttributeValue)
    case target(Object?)
  }

  struct Written {
    var stamp: PlainStamp
    var content: Content
    /// Decides between two writes of one stamp.
    var rank: PlainRank
  }

  let schema: SyncSchema
  let rules: ReferenceRules
  private let longValues: [ContentHash: [UInt8]]
  private(set) var inserted: [Object: PlainStamp] = [:]
  private(set) var deleted: [Object: PlainStamp] = [:]
  /// The entity that the latest insertion named.
  private(set) var entities: [Object: String] = [:]
  private(set) var registers: [Cell: Written] = [:]
  private(set) var added: [Pair: PlainStamp] = [:]
  private(set) var removed: [Pair: PlainStamp] = [:]
  private(set) var places: [Place: (stamp: PlainStamp, bytes: [UInt8])] = [:]
  private(set) var contributions: [Cell: Set<Contribution>] = [:]

  /// Merges the sets of all authors.
  ///
  /// - Parameter longValues: the values that travel out of line.
  public init(
    _ sets: [ChangeSet], schema: SyncSchema, rules: ReferenceRules = ReferenceRules(),
    longValues: [ContentHash: [UInt8]] = [:]
  ) {
    self.schema = schema
    self.rules = rules
    self.longValues = longValues
    for set in sets {
      let names = set.entities.map(rules.latest)
      for change in set.changes where names.indices.contains(change.entity.rawValue) {
        merge(change, names: names[change.entity.rawValue], author: set.author)
      }
    }
  }

  /// One line for each object that lives: entity, sync ID, and every property that has something to show.
  public func contents() -> [String] { ReferenceView(self).lines() }

  private mutating func merge(_ change: Change, names: EntityNames, author: AuthorID) {
    let object = Object(root: names.root, id: PlainID(change.object))
    let stamp = PlainStamp(time: change.time.bits, author: author.bits)
    func pair(_ index: ChangeSet.PropertyIndex, _ target: SyncID) -> Pair? {
      guard let property = names[index], let destination = property.kind.destinationRoot else { return nil }
      return Pair(
        source: object, key: property.name,
        target: Object(root: destination, id: PlainID(target)))
    }
    switch change.action {
    case .insert(let written):
      insert(object, of: names.name, at: stamp)
      for register in written { write(register, names, object, stamp) }
    case .update(let written), .clear(let written):
      for register in written { write(register, names, object, stamp) }
    case .delete:
      deleted[object] = stamp.later(deleted[object])
    case .link(let property, let target):
      if let pair = pair(property, target) { added[pair] = stamp.later(added[pair]) }
    case .unlink(let property, let target):
      if let pair = pair(property, target) { removed[pair] = stamp.later(removed[pair]) }
    case .place(let property, let target, let isInverse, let bytes):
      guard let pair = pair(property, target) else { return }
      put(bytes, at: Place(pair: pair, isInverse: isInverse), stamp)
    case .contribute(let property, let value, let origin):
      guard let property = names[property] else { return }
      let made = PlainStamp(time: change.time.bits, author: (origin ?? author).bits)
      contributions[Cell(object: object, key: property.name), default: []].insert(
        Contribution(stamp: made, value: value))
    }
  }

  private mutating func insert(_ object: Object, of entity: String, at stamp: PlainStamp) {
    if let before = inserted[object], before.isAfter(stamp) { return }
    // Two copies of one store may have said one stamp of two entities.
    if inserted[object] == stamp, let other = entities[object], !rules.precedes(other, entity) { return }
    inserted[object] = stamp
    entities[object] = entity
  }

  private mutating func put(_ bytes: [UInt8], at place: Place, _ stamp: PlainStamp) {
    if let old = places[place] {
      if old.stamp.isAfter(stamp) { return }
      if old.stamp == stamp, !old.bytes.lexicographicallyPrecedes(bytes) { return }
    }
    places[place] = (stamp, bytes)
  }

  private mutating func write(
    _ register: Register, _ names: EntityNames, _ object: Object, _ stamp: PlainStamp
  ) {
    guard let property = names[register.property] else { return }
    let cell = Cell(object: object, key: property.name)
    let rank = PlainRank(register.content)
    if let old = registers[cell] {
      if old.stamp.isAfter(stamp) { return }
      if old.stamp == stamp, !old.rank.isBelow(rank) { return }
    }
    guard let content = content(register.content, property.kind.destinationRoot) else { return }
    registers[cell] = Written(stamp: stamp, content: content, rank: rank)
  }

  private func content(_ content: Register.Content, _ destination: String?) -> Content? {
    switch content {
    case .value(let value): return .value(value)
    case .target(let target):
      guard let destination else { return nil }
      return .target(target.map { Object(root: destination, id: PlainID($0)) })
    case .longValue(let reference):
      // One that is nowhere shows as what the row showed before; a simulation that loses none does not get here.
      return .value(longValues[reference.hash].flatMap { reference.value(of: $0) } ?? .null)
    }
  }
}

extension EntityNames.Property.Kind {
  /// Root of what a relationship leads to.
  var destinationRoot: String? {
    switch self {
    case .attribute: nil
    case .toOne(let destination), .toMany(let destination): destination
    }
  }
}
