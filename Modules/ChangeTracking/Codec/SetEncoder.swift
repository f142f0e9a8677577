import ObjectStore

/// Writes the body of a compact change set.
struct SetEncoder {
  private(set) var bytes: [UInt8] = []

  /// What the changes of one group have in common.
  struct Shape: Hashable {
    var entity: ChangeSet.EntityIndex
    var action: UInt8
    var properties: [Key]
  }

  /// A property as it is written: twice its index, plus one where it holds targets.
  struct Key: IdentifyingNumber {
    let rawValue: Int

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ property: ChangeSet.PropertyIndex, holdsTargets: Bool) {
      rawValue = 2 * property.rawValue + (holdsTargets ? 1 : 0)
    }

    var property: ChangeSet.PropertyIndex { ChangeSet.PropertyIndex(rawValue: rawValue >> 1) }
    var holdsTargets: Bool { rawValue & 1 == 1 }
  }

  enum Action {
    static let insert: UInt8 = 0
    static let update: UInt8 = 1
    static let delete: UInt8 = 2
    static let link: UInt8 = 3
    static let unlink: UInt8 = 4
    static let placeTarget: UInt8 = 5
    static let placeSource: UInt8 = 6
    static let contribute: UInt8 = 7
    static let contributeOfFormer: UInt8 = 8
    static let clear: UInt8 = 9
  }

  mutating func append(_ set: ChangeSet) {
    bytes.appendBigEndian(set.author.bits)
    bytes.appendText(set.client)
    bytes.appendVarint(set.sequence)
    bytes.append(set.previous == nil ? 0 : 1)
    bytes += set.previous?.bytes ?? []
    bytes.appendText(set.model)
    appendNames(set.entities)

    let targets = Self.targets(of: set)
    IdentifierColumn.append(targets, to: &bytes)
    let numbers = Dictionary(uniqueKeysWithValues: targets.enumerated().map { ($1, UInt64($0)) })

    var groups: [Shape: [Int]] = [:]
    for (index, change) in set.changes.enumerated() {
      groups[Self.shape(of: change), default: []].append(index)
    }
    let ordered = groups.sorted { Self.precedes($0.key, $1.key) }
    bytes.appendVarint(UInt64(ordered.count))
    for (shape, members) in ordered { appendGroup(shape, members, of: set.changes, numbers) }
  }

  private mutating func appendNames(_ entities: [EntityNames]) {
    bytes.appendVarint(UInt64(entities.count))
    for entity in entities {
      append(entity.name, entity.formerNames)
      bytes.appendText(entity.root)
      bytes.appendVarint(UInt64(entity.properties.count))
      for property in entity.properties {
        append(property.name, property.formerNames)
        let (code, destination) = property.kind.stored
        bytes.append(UInt8(truncatingIfNeeded: code))
        if let destination { bytes.appendText(destination) }
      }
    }
  }

  private mutating func append(_ name: String, _ formerNames: [String]) {
    bytes.appendText(name)
    bytes.appendVarint(UInt64(formerNames.count))
    for name in formerNames { bytes.appendText(name) }
  }

  private mutating func appendGroup(
    _ shape: Shape, _ unsorted: [Int], of changes: [Change], _ numbers: [SyncID: UInt64]
  ) {
    let members = unsorted.sorted {
      let (left, right) = (changes[$0], changes[$1])
      return left.object == right.object ? left.time < right.time : left.object < right.object
    }
    bytes.appendVarint(UInt64(shape.entity.rawValue))
    bytes.append(shape.action)
    bytes.appendVarint(UInt64(shape.properties.count))
    for property in shape.properties { bytes.appendVarint(UInt64(property.rawValue)) }
    IdentifierColumn.append(members.lazy.map { changes[$0].object }, to: &bytes)
    appendTimes(members.lazy.map { changes[$0].time })
    switch shape.action {
    case Action.insert, Action.update, Action.clear:
      for (position, key) in shape.properties.enumerated() {
        let contents = members.lazy.map { changes[$0].registers[position].content }
        appendColumn(contents, ofTargets: key.holdsTargets, numbers)
      }
    case Action.link, Action.unlink, Action.placeTarget, Action.placeSource:
      for member in members {
        bytes.appendVarint(Self.linkTarget(of: changes[member]).flatMap { numbers[$0] } ?? 0)
      }
      appendPlaces(members.lazy.map { changes[$0].action })
    case Action.contribute, Action.contributeOfFormer:
      appendContributions(members.map { changes[$0].action })
    default:
      break
    }
  }

  /// The bytes of places, if the actions are such: lengths, then contents.
  private mutating func appendPlaces(_ actions: some Sequence<Change.Action>) {
    var contents: [UInt8] = []
    for case .place(_, _, _, let place) in actions {
      bytes.appendVarint(UInt64(place.count))
      contents += place
    }
    bytes += contents
  }

  private mutating func appendContributions(_ actions: [Change.Action]) {
    var values: [AttributeValue] = []
    for case .contribute(_, let value, let origin) in actions {
      values.append(value)
      if let origin { bytes.appendBigEndian(origin.bits) }
    }
    ValueColumn.append(values, to: &bytes)
  }

  private mutating func appendTimes(_ times: some Sequence<LogicalTime>) {
    var counters: [UInt8] = []
    var previous: UInt64 = 0
    for time in times {
      bytes.appendZigzag(Int64(bitPattern: time.milliseconds &- previous))
      previous = time.milliseconds
      counters.appendVarint(time.bits & 0xffff)
    }
    bytes += counters
  }

  private mutating func appendColumn(
    _ contents: some Collection<Register.Content>, ofTargets: Bool, _ numbers: [SyncID: UInt64]
  ) {
    if ofTargets {
      for content in contents {
        guard case .target(let target) = content else { continue }
        bytes.appendVarint(target.flatMap { numbers[$0] }.map { $0 + 1 } ?? 0)
      }
    } else {
      ValueColumn.append(contents, to: &bytes)
    }
  }

  // MARK: Taking changes apart

  private static func targets(of set: ChangeSet) -> [SyncID] {
    var targets: Set<SyncID> = []
    for change in set.changes {
      if let target = linkTarget(of: change) { targets.insert(target) }
      for register in change.registers {
        if case .target(let target?) = register.content { targets.insert(target) }
      }
    }
    return targets.sorted()
  }

  private static func linkTarget(of change: Change) -> SyncID? {
    switch change.action {
    case .link(_, let target), .unlink(_, let target), .place(_, let target, _, _): target
    case .insert, .update, .clear, .delete, .contribute: nil
    }
  }

  private static func shape(of change: Change) -> Shape {
    func keys(_ registers: [Register]) -> [Key] {
      registers.map {
        if case .target = $0.content {
          Key($0.property, holdsTargets: true)
        } else {
          Key($0.property, holdsTargets: false)
        }
      }
    }
    return switch change.action {
    case .insert(let registers):
      Shape(entity: change.entity, action: Action.insert, properties: keys(registers))
    case .update(let registers):
      Shape(entity: change.entity, action: Action.update, properties: keys(registers))
    case .clear(let registers):
      Shape(entity: change.entity, action: Action.clear, properties: keys(registers))
    case .delete: Shape(entity: change.entity, action: Action.delete, properties: [])
    case .link(let property, _):
      Shape(entity: change.entity, action: Action.link, properties: [Key(property, holdsTargets: true)])
    case .unlink(let property, _):
      Shape(entity: change.entity, action: Action.unlink, properties: [Key(property, holdsTargets: true)])
    case .place(let property, _, let isInverse, _):
      Shape(
        entity: change.entity, action: isInverse ? Action.placeSource : Action.placeTarget,
        properties: [Key(property, holdsTargets: true)])
    case .contribute(let property, _, let origin):
      Shape(
        entity: change.entity, action: origin == nil ? Action.contribute : Action.contributeOfFormer,
        properties: [Key(property, holdsTargets: false)])
    }
  }

  private static func precedes(_ left: Shape, _ right: Shape) -> Bool {
    if left.entity != right.entity { return left.entity < right.entity }
    if left.action != right.action { return left.action < right.action }
    return left.properties.lexicographicallyPrecedes(right.properties)
  }
}
