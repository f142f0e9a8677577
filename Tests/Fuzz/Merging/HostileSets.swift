import ChangeTracking
import Foundation
import ObjectStore

/// Makes well-formed sets with hostile meaning: entities and properties that clash with the local model, one identifier in
/// several entities, times at the ends of the scale, values that types cannot hold, and forks of one author.
struct HostileSets {
  private var choices: ByteChoices
  private let scene: Scene
  /// Changes that may still be made, for a run must end soon.
  private var budget = 1_500
  /// Whether a set names something with former names that it never had.
  private(set) var tellsLies = false

  /// What both replicas hold before.
  struct Scene: Sendable {
    /// The authors of the two replicas.
    var authors: [AuthorID]
    /// The objects that both show, by entity.
    var objects: [(entity: String, syncID: SyncID)]
    /// The entities of each version of the local model, with the roots that no object is of.
    var versions: [[EntityNames]]
  }

  init(_ choices: ByteChoices, in scene: Scene) {
    self.choices = choices
    self.scene = scene
  }

  /// What was not used.
  var rest: ByteChoices { choices }

  /// Some histories, each of one author, in which several sets may have one number.
  mutating func make() -> [[ReceivedSet]] {
    let authors =
      [AuthorID(bits: 0), AuthorID(bits: 1), AuthorID(bits: .max), AuthorID(bits: 0x8000_0000_0000_0000)]
      + scene.authors
    var histories: [AuthorID: [ReceivedSet]] = [:]
    var order: [AuthorID] = []
    for _ in 0...choices.number(below: 6) {
      let author = choices.one(of: authors)
      let history = histories[author] ?? []
      // A fork says something else under a number that was there.
      let isFork = !history.isEmpty && choices.once(in: 4)
      let sequence = (history.last?.set.sequence ?? 0) + (isFork ? 0 : 1)
      guard let set = set(author, sequence: sequence, previous: history.last?.hash) else { continue }
      if history.isEmpty { order.append(author) }
      histories[author, default: []].append(set)
    }
    return order.compactMap { histories[$0] }
  }

  /// The next set as a device would receive it; `nil` if no bytes can say it.
  private mutating func set(_ author: AuthorID, sequence: UInt64, previous: ContentHash?) -> ReceivedSet? {
    let version = choices.one(of: scene.versions)
    var names = (0...choices.number(below: 4)).map { _ in entity(of: version) }
    let written = names
    var changes: [Change] = []
    for _ in 0...choices.number(below: 24) where !choices.isAtEnd {
      changes += change(in: written)
    }
    budget -= changes.count
    // A set tells the former names of the roots that it mentions.
    names += version.filter { entity in
      !entity.formerNames.isEmpty && !names.contains { $0.name == entity.name }
    }
    .map { EntityNames(name: $0.name, formerNames: $0.formerNames, root: $0.root, properties: []) }
    let set = ChangeSet(
      author: author, client: choices.once(in: 8) ? "" : "hostile", sequence: sequence, previous: previous,
      model: "hostile", entities: names, changes: changes)
    var body = CompactCodec.encodeBody(set)
    // Sometimes with a few bytes of it changed, which may be a set all the same.
    if choices.once(in: 8), !body.isEmpty {
      for _ in 0...choices.number(below: 4) {
        let position = (Int(choices.byte()) << 8 | Int(choices.byte())) % body.count
        body[position] = choices.byte()
      }
    }
    guard var received = try? CompactCodec.decodeBody(body) else { return nil }
    // What a file is called decides the author and the number.
    if received.entities != names { tellsLies = true }
    received.author = author
    received.sequence = sequence
    return ReceivedSet(set: received, hash: ContentHash(of: body))
  }

  // MARK: Names

  private mutating func entity(of version: [EntityNames]) -> EntityNames {
    var names = choices.one(of: version)
    if choices.once(in: 4) { (names.name, names.formerNames) = (choices.one(of: entityNames), []) }
    if choices.once(in: 6) { names.root = choices.one(of: entityNames) }
    for index in names.properties.indices where choices.once(in: 12) {
      names.properties[index].kind = kind()
    }
    if choices.once(in: 12) { lie(&names.formerNames) }
    for index in names.properties.indices where choices.once(in: 16) {
      lie(&names.properties[index].formerNames)
    }
    if choices.once(in: 6) { names.properties.append(property()) }
    if choices.once(in: 16) { names.properties.append(contentsOf: (0..<70).map { _ in property() }) }
    return names
  }

  private mutating func lie(_ formerNames: inout [String]) {
    tellsLies = true
    let count = choices.once(in: 8) ? SetLimits.formerNames : choices.number(below: 4)
    formerNames = (0..<count).map { _ in
      choices.one(of: ["title", "heading", "Item", "Entry", "Note", "Memo", "", "votes", "likes", "unknown"])
    }
  }

  private let entityNames = ["Item", "Note", "Task", "Folder", "Tag", "Other", "", "note", "No\u{301}te"]

  private mutating func property() -> EntityNames.Property {
    EntityNames.Property(
      name: choices.one(of: [
        "unknown", "unknown 2", "title", "text", "note", "task", "items", "emblem", "ticdsSyncID", "",
        "votes",
        "cover",
      ]), kind: kind())
  }

  private mutating func kind() -> EntityNames.Property.Kind {
    switch choices.number(below: 3) {
    case 0: .attribute
    case 1: .toOne(destination: choices.one(of: entityNames))
    default: .toMany(destination: choices.one(of: entityNames))
    }
  }

  // MARK: Changes

  private mutating func change(in names: [EntityNames]) -> [Change] {
    let entity = ChangeSet.EntityIndex(rawValue: choices.number(below: names.count))
    let object = identifier()
    let time = time()
    let properties = names[entity.rawValue].properties
    func make(_ action: Change.Action) -> [Change] {
      [Change(entity: entity, object: object, time: time, action: action)]
    }
    func any() -> ChangeSet.PropertyIndex { .init(rawValue: choices.number(below: properties.count)) }
    func any(_ isMeant: (EntityNames.Property.Kind) -> Bool) -> ChangeSet.PropertyIndex {
      let meant = properties.indices.filter { isMeant(properties[$0].kind) }
      return meant.isEmpty ? any() : .init(rawValue: choices.one(of: meant))
    }
    guard !properties.isEmpty else { return make(.delete) }
    switch choices.number(below: 16) {
    case 0...3: return make(.insert(registers(of: properties)))
    case 4, 5: return make(.update(registers(of: properties)))
    case 6: return make(.clear(registers(of: properties)))
    case 7: return make(.delete)
    case 8, 9: return make(.link(property: any(Self.isToMany), target: identifier()))
    case 10: return make(.unlink(property: any(Self.isToMany), target: identifier()))
    case 11:
      return make(
        .place(
          property: any { $0 != .attribute }, target: identifier(), isInverse: choices.once(in: 2),
          bytes: choices.bytes(choices.number(below: 24))))
    case 12:
      return make(
        .place(
          property: any(), target: identifier(), isInverse: false, bytes: [0x60, 0, 0, 0, 0, 0x80, 0x40])
      )
    case 13:
      return make(
        .contribute(property: any { $0 == .attribute }, value: value(), origin: origin()))
    case 14: return make(.contribute(property: any(), value: number(), origin: origin()))
    default: return many(entity, at: time, registers(of: properties))
    }
  }

  /// One change of many objects.
  private mutating func many(_ entity: ChangeSet.EntityIndex, at time: LogicalTime, _ registers: [Register])
    -> [Change]
  {
    let count = min(budget, choices.number(below: 200))
    budget -= max(0, count)
    let isInsertion = choices.once(in: 2)
    return (0..<max(0, count)).map {
      Change(
        entity: entity, object: .uuid(7, UInt64($0)), time: time,
        action: isInsertion ? .insert(registers) : .update(registers))
    }
  }

  private static func isToMany(_ kind: EntityNames.Property.Kind) -> Bool {
    if case .toMany = kind { true } else { false }
  }

  private mutating func registers(of properties: [EntityNames.Property]) -> [Register] {
    var registers: [Register] = []
    for _ in 0..<choices.number(below: 6) {
      let property = choices.number(below: properties.count)
      let index = ChangeSet.PropertyIndex(rawValue: property)
      guard !registers.contains(where: { $0.property == index }) || choices.once(in: 8) else { continue }
      registers.append(Register(property: index, content: content(of: properties[property].kind)))
    }
    return registers
  }

  private mutating func content(of kind: EntityNames.Property.Kind) -> Register.Content {
    let isAttribute = (kind == .attribute) != choices.once(in: 16)
    if !isAttribute { return .target(choices.once(in: 5) ? nil : identifier()) }
    return choices.once(in: 12) ? longValue() : .value(value())
  }

  private mutating func longValue() -> Register.Content {
    let value: AttributeValue =
      choices.once(in: 2)
      ? .data([UInt8](repeating: choices.byte(), count: LongValue.threshold + 1))
      : .string(String(repeating: "x", count: LongValue.threshold + 1))
    guard !choices.once(in: 2), let description = LongValue(value) else { return .value(value) }
    return .longValue(description)
  }

  private mutating func origin() -> AuthorID? {
    choices.once(in: 3) ? choices.one(of: scene.authors + [AuthorID(bits: 0), AuthorID(bits: 77)]) : nil
  }

  // MARK: Values

  private mutating func identifier() -> SyncID {
    switch choices.number(below: 4) {
    case 0, 1: choices.one(of: scene.objects).syncID
    case 2: .uuid(UInt64(choices.number(below: 3)), UInt64(choices.number(below: 4)))
    default:
      choices.one(of: [
        SyncID("a"), SyncID("b"), SyncID("\u{e9}"), SyncID("e\u{301}"), SyncID(""), SyncID("\0"),
        SyncID("00000000-0000-0000-0000-00000000000a"), SyncID("00000000-0000-0000-0000-00000000000A"),
        .uuid(0x018b_cfe5_6800_8000, 0x8000_0000_0000_0001), .uuid(.max, .max),
      ])
    }
  }

  private mutating func time() -> LogicalTime {
    switch choices.number(below: 10) {
    case 0: LogicalTime(bits: UInt64(choices.number(below: 3)))
    case 1: LogicalTime(bits: .max - UInt64(choices.number(below: 3)))
    case 2: LogicalTime(bits: choices.word())
    // Around what the two replicas say.
    default:
      LogicalTime(
        bits: LogicalTime(milliseconds: FuzzClock.start &+ UInt64(choices.number(below: 12)) &* 1_000).bits
          &- UInt64(choices.number(below: 3)))
    }
  }

  private mutating func number() -> AttributeValue {
    choices.one(of: [
      .integer(1), .integer(-1), .integer(.max), .integer(.min), .integer(40_000), .double(0.1),
      .double(.nan),
      .double(.infinity), .double(-.infinity), .double(-0.0), .decimal(Decimal(1) / 3),
      .decimal(.greatestFiniteMagnitude), .float(.greatestFiniteMagnitude), .date(1), .date(.infinity), .null,
    ])
  }

  private mutating func value() -> AttributeValue {
    switch choices.number(below: 12) {
    case 0...3: number()
    case 4: .boolean(choices.once(in: 2))
    case 5: .data(choices.bytes(choices.number(below: 6)))
    case 6: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, choices.byte())))
    case 7: .uri(choices.one(of: ["", "https://example.org/%ff", "\u{e9}", "e\u{301}"]))
    case 8: .date(choices.one(of: [0, -0.0, -1e300, 1e300, .nan, 7e8]))
    case 9: .integer(Int64(choices.byte()))
    default: .string(choices.one(of: ["", "red", "blue", "\u{e9}", "e\u{301}", "\0", "code", "\u{10ffff}"]))
    }
  }
}
