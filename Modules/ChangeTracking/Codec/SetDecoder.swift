import ObjectStore

/// Reads the body of a compact change set.
struct SetDecoder {
  private var reader: SetReader
  private var entities: [EntityNames] = []
  private var targets: [SyncID] = []
  private var changes: [Change] = []
  /// How many more former names the set may have.
  private var formerNames = SetLimits.allFormerNames
  /// How many more changes, registers and targets the set may have.
  private var budget = SetLimits.values
  private var formerAuthors: Set<AuthorID> = []

  init(_ bytes: UnsafeRawBufferPointer) { reader = SetReader(bytes) }

  mutating func set() throws(CodecError) -> ChangeSet {
    let author = AuthorID(bits: try reader.bigEndian())
    let client = try reader.text(limit: SetLimits.identifierLength)
    let sequence = try reader.varint()
    var previous: ContentHash?
    switch try reader.byte() {
    case 0: break
    case 1: previous = ContentHash(bytes: try reader.array(ContentHash.byteCount))
    default: throw reader.failure("0 or 1")
    }
    let model = try reader.text(limit: SetLimits.identifierLength)
    try readNames()
    targets = try readIdentifiers()
    for _ in 0..<(try reader.count(of: "groups")) { try readGroup() }
    guard reader.isAtEnd else { throw reader.failure("the end") }
    return ChangeSet(
      author: author, client: client, sequence: sequence, previous: previous, model: model,
      entities: entities,
      changes: changes)
  }

  private mutating func readNames() throws(CodecError) {
    var properties = SetLimits.properties
    for _ in 0..<(try reader.count(of: "entities", limit: SetLimits.entities)) {
      var entity = EntityNames(
        name: try readName(), formerNames: try readFormerNames(), root: try readName(), properties: [])
      let count = try reader.count(of: "properties", limit: properties)
      properties -= count
      for _ in 0..<count {
        let name = try readName()
        let formerNames = try readFormerNames()
        let code = Int64(try reader.byte())
        let destination = code == 0 ? "" : try readName()
        guard let kind = EntityNames.Property.Kind(code: code, destination: destination) else {
          throw reader.failure("the kind of a property")
        }
        entity.properties.append(EntityNames.Property(name: name, formerNames: formerNames, kind: kind))
      }
      entities.append(entity)
    }
  }

  private mutating func readName() throws(CodecError) -> String {
    try reader.text(limit: SetLimits.nameLength)
  }

  private mutating func readFormerNames() throws(CodecError) -> [String] {
    var names: [String] = []
    let count = try reader.count(of: "former names", limit: min(SetLimits.formerNames, formerNames))
    formerNames -= count
    for _ in 0..<count { names.append(try readName()) }
    return names
  }

  private mutating func readGroup() throws(CodecError) {
    let entity = ChangeSet.EntityIndex(rawValue: Int(clamping: try reader.varint()))
    guard entities.indices.contains(entity.rawValue) else { throw reader.failure("the index of an entity") }
    let action = try reader.byte()
    var keys: [SetEncoder.Key] = []
    for _ in 0..<(try reader.count(of: "properties", limit: SetLimits.properties)) {
      let key = SetEncoder.Key(rawValue: Int(clamping: try reader.varint()))
      guard entities[entity.rawValue].properties.indices.contains(key.property.rawValue) else {
        throw reader.failure("the index of a property")
      }
      keys.append(key)
    }
    let objects = try readIdentifiers()
    guard objects.count <= SetLimits.changes - changes.count else {
      throw reader.exceeded("\(SetLimits.changes) changes")
    }
    try spend(keys.count.multipliedReportingOverflow(by: objects.count))
    let times = try readTimes(objects.count)
    let first = changes.count
    changes.reserveCapacity(first + objects.count)
    func append(_ action: (Int) -> Change.Action) {
      for index in objects.indices {
        changes.append(
          Change(entity: entity, object: objects[index], time: times[index], action: action(index)))
      }
    }
    switch action {
    case SetEncoder.Action.insert:
      let registers = try readRegisters(keys, rows: objects.count)
      append { .insert(registers[$0]) }
    case SetEncoder.Action.update:
      let registers = try readRegisters(keys, rows: objects.count)
      append { .update(registers[$0]) }
    case SetEncoder.Action.clear:
      let registers = try readRegisters(keys, rows: objects.count)
      append { .clear(registers[$0]) }
    case SetEncoder.Action.delete:
      append { _ in .delete }
    case SetEncoder.Action.link, SetEncoder.Action.unlink:
      guard keys.count == 1, keys[0].holdsTargets else { throw reader.failure("one relationship") }
      let linked = try readTargets(objects.count)
      append {
        action == SetEncoder.Action.link
          ? .link(property: keys[0].property, target: linked[$0])
          : .unlink(property: keys[0].property, target: linked[$0])
      }
    case SetEncoder.Action.placeTarget, SetEncoder.Action.placeSource:
      guard keys.count == 1, keys[0].holdsTargets else { throw reader.failure("one relationship") }
      let members = try readTargets(objects.count)
      let places = try readPlaces(objects.count)
      append {
        .place(
          property: keys[0].property, target: members[$0],
          isInverse: action == SetEncoder.Action.placeSource, bytes: places[$0])
      }
    case SetEncoder.Action.contribute, SetEncoder.Action.contributeOfFormer:
      guard keys.count == 1, !keys[0].holdsTargets else { throw reader.failure("one attribute") }
      var origins: [AuthorID] = []
      if action == SetEncoder.Action.contributeOfFormer {
        for _ in objects { origins.append(AuthorID(bits: try reader.bigEndian())) }
        formerAuthors.formUnion(origins)
        guard formerAuthors.count <= SetLimits.formerAuthors else {
          throw reader.exceeded("\(SetLimits.formerAuthors) former authors")
        }
      }
      let values = try ValueColumn.readValues(objects.count, from: &reader)
      append {
        .contribute(
          property: keys[0].property, value: values[$0], origin: origins.isEmpty ? nil : origins[$0])
      }
    default:
      throw reader.failure("an action")
    }
  }

  private mutating func readPlaces(_ count: Int) throws(CodecError) -> [[UInt8]] {
    var lengths: [Int] = []
    lengths.reserveCapacity(count)
    for _ in 0..<count {
      let length = try reader.varint()
      guard length <= UInt64(SetLimits.placeLength) else { throw reader.failure("a place of a few bytes") }
      lengths.append(Int(length))
    }
    var places: [[UInt8]] = []
    places.reserveCapacity(count)
    for length in lengths { places.append(try reader.array(length)) }
    return places
  }

  private mutating func readIdentifiers() throws(CodecError) -> [SyncID] {
    let identifiers = try IdentifierColumn.read(from: &reader, limit: budget)
    try spend((identifiers.count, false))
    return identifiers
  }

  private mutating func spend(_ count: (partialValue: Int, overflow: Bool)) throws(CodecError) {
    guard !count.overflow, count.partialValue <= budget else {
      throw reader.exceeded("\(budget) more values")
    }
    budget -= count.partialValue
  }

  private mutating func readTimes(_ count: Int) throws(CodecError) -> [LogicalTime] {
    var times: [LogicalTime] = []
    times.reserveCapacity(count)
    var previous: UInt64 = 0
    for _ in 0..<count {
      previous = previous &+ UInt64(bitPattern: try reader.zigzag())
      guard previous < 1 << 48 else { throw reader.failure("a time of 48 bits") }
      times.append(LogicalTime(bits: previous << 16))
    }
    for index in times.indices {
      let counter = try reader.varint()
      guard counter < 1 << 16 else { throw reader.failure("a counter of 16 bits") }
      times[index] = LogicalTime(bits: times[index].bits | counter)
    }
    return times
  }

  private mutating func readRegisters(_ keys: [SetEncoder.Key], rows: Int) throws(CodecError) -> [[Register]]
  {
    var registers = [[Register]](repeating: [], count: rows)
    for index in registers.indices { registers[index].reserveCapacity(keys.count) }
    for key in keys {
      if key.holdsTargets {
        for row in 0..<rows {
          let number = try reader.varint()
          guard number <= UInt64(targets.count) else { throw reader.failure("the number of a target") }
          let target = number == 0 ? nil : targets[Int(number) - 1]
          registers[row].append(Register(property: key.property, content: .target(target)))
        }
      } else {
        let values = try ValueColumn.read(rows, from: &reader)
        for (row, content) in values.enumerated() {
          registers[row].append(Register(property: key.property, content: content))
        }
      }
    }
    return registers
  }

  private mutating func readTargets(_ count: Int) throws(CodecError) -> [SyncID] {
    var linked: [SyncID] = []
    linked.reserveCapacity(count)
    for _ in 0..<count {
      let number = try reader.varint()
      guard number < UInt64(targets.count) else { throw reader.failure("the number of a target") }
      linked.append(targets[Int(number)])
    }
    return linked
  }
}
