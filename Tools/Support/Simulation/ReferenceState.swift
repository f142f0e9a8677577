import ChangeTracking
import ObjectStore

/// The rules of merging written as plainly as possible: dictionaries of cells, recomputed from all sets, no database.
public struct ReferenceState {
  private struct Object: Hashable {
    var entity: String
    var syncID: SyncID
  }

  private struct Cell: Hashable {
    var object: Object
    var key: String
  }

  private struct Pair: Hashable {
    var source: Object
    var key: String
    var target: SyncID
  }

  /// A place of one end of a pair among the members of the other.
  private struct Place: Hashable {
    var pair: Pair
    var isInverse: Bool
  }

  private struct Contribution: Hashable {
    var stamp: Stamp
    var value: AttributeValue
  }

  private typealias Written = (stamp: Stamp, content: Register.Content)

  private let schema: SyncSchema
  private var inserted: [Object: Stamp] = [:]
  private var deleted: [Object: Stamp] = [:]
  private var registers: [Cell: Written] = [:]
  private var added: [Pair: Stamp] = [:]
  private var removed: [Pair: Stamp] = [:]
  private var places: [Place: (stamp: Stamp, bytes: [UInt8])] = [:]
  private var contributions: [Cell: Set<Contribution>] = [:]

  /// Merges the sets of all authors.
  public init(_ sets: [ChangeSet], schema: SyncSchema) {
    self.schema = schema
    for set in sets {
      for change in set.changes { merge(change, names: set.entities[change.entity], author: set.author) }
    }
  }

  private mutating func merge(_ change: Change, names: EntityNames, author: AuthorID) {
    let object = Object(entity: names.name, syncID: change.object)
    let stamp = Stamp(time: change.time, author: author)
    switch change.action {
    case .insert(let written):
      inserted[object] = max(inserted[object] ?? .zero, stamp)
      for register in written { write(register, names, object, stamp) }
    case .update(let written):
      for register in written { write(register, names, object, stamp) }
    case .delete:
      deleted[object] = max(deleted[object] ?? .zero, stamp)
    case .link(let property, let target):
      let pair = Pair(source: object, key: names.properties[property].name, target: target)
      added[pair] = max(added[pair] ?? .zero, stamp)
    case .unlink(let property, let target):
      let pair = Pair(source: object, key: names.properties[property].name, target: target)
      removed[pair] = max(removed[pair] ?? .zero, stamp)
    case .place(let property, let target, let isInverse, let bytes):
      let pair = Pair(source: object, key: names.properties[property].name, target: target)
      let place = Place(pair: pair, isInverse: isInverse)
      if let old = places[place] {
        if old.stamp > stamp { return }
        if old.stamp == stamp, !old.bytes.lexicographicallyPrecedes(bytes) { return }
      }
      places[place] = (stamp, bytes)
    case .contribute(let property, let value, let origin):
      let made = Stamp(time: change.time, author: origin ?? author)
      contributions[Cell(object: object, key: names.properties[property].name), default: []].insert(
        Contribution(stamp: made, value: value))
    }
  }

  private mutating func write(_ register: Register, _ names: EntityNames, _ object: Object, _ stamp: Stamp) {
    let cell = Cell(object: object, key: names.properties[register.property].name)
    if let old = registers[cell] {
      if old.stamp > stamp { return }
      if old.stamp == stamp && !old.content.precedes(register.content) { return }
    }
    registers[cell] = (stamp, register.content)
  }

  private func lives(_ object: Object) -> Bool { (inserted[object] ?? .zero) > (deleted[object] ?? .zero) }

  private func lives(_ syncID: SyncID, below root: String) -> Bool {
    schema.entities.contains { $0.root == root && lives(Object(entity: $0.name, syncID: syncID)) }
  }

  private func written(_ object: Object, _ key: String) -> Written? {
    guard let written = registers[Cell(object: object, key: key)], written.stamp > (deleted[object] ?? .zero)
    else {
      return nil
    }
    return written
  }

  private func target(_ object: Object, _ key: String, root: String, isExclusive: Bool) -> SyncID? {
    guard let mine = written(object, key), case .target(let target?) = mine.content,
      lives(target, below: root)
    else {
      return nil
    }
    guard isExclusive else { return target }
    let isBeaten = inserted.keys.contains { other in
      guard other != object, lives(other), let theirs = written(other, key), theirs.content == .target(target)
      else {
        return false
      }
      return theirs.stamp > mine.stamp
    }
    return isBeaten ? nil : target
  }

  /// A place, unless one of the two objects was deleted after it.
  private func bytes(of place: Place) -> [UInt8]? {
    guard let written = places[place], written.stamp > (deleted[place.pair.source] ?? .zero) else {
      return nil
    }
    let targets = schema.entities.filter { $0.root == destination(of: place.pair) }
    let isDeleted = targets.contains {
      (deleted[Object(entity: $0.name, syncID: place.pair.target)] ?? .zero) > written.stamp
    }
    return isDeleted ? nil : written.bytes
  }

  private func destination(of pair: Pair) -> String? {
    let entity = schema.entities.first { $0.name == pair.source.entity }
    return entity?.properties.first { $0.name == pair.key }?.destination
  }

  /// Members in the order of their places; those without a place come last, equal ones in the order of their sync IDs.
  private func ordered<Member>(_ members: [Member], _ syncID: (Member) -> SyncID, _ place: (Member) -> Place)
    -> [SyncID]
  {
    let known = members.map { (syncID: syncID($0), bytes: bytes(of: place($0))) }
    return known.sorted { left, right in
      if left.bytes == right.bytes { return left.syncID < right.syncID }
      guard let mine = left.bytes else { return false }
      guard let theirs = right.bytes else { return true }
      return mine.lexicographicallyPrecedes(theirs)
    }.map(\.syncID)
  }

  /// The objects that show `target` in a relationship of theirs, in the order that the target gives them.
  private func sources(_ target: Object, of entity: SyncSchema.Entity, _ property: SyncSchema.Property)
    -> [SyncID]
  {
    let sources = inserted.keys.filter { source in
      guard source.entity == entity.name, lives(source) else { return false }
      switch property.kind {
      case .attribute: return false
      case .toOne(let root, let isExclusive):
        return self.target(source, property.name, root: root, isExclusive: isExclusive) == target.syncID
      case .toMany(let root, let isSymmetric):
        return targets(source, property.name, root: root, isSymmetric: isSymmetric).contains(target.syncID)
      }
    }
    return ordered(sources, { $0.syncID }) {
      Place(pair: Pair(source: $0, key: property.name, target: target.syncID), isInverse: true)
    }
  }

  /// What contributions show together with what was written as a whole.
  private func folded(_ object: Object, _ property: SyncSchema.Property) -> AttributeValue {
    let valid = contributions[Cell(object: object, key: property.name), default: []].filter {
      $0.stamp > (deleted[object] ?? .zero)
    }
    var values = valid.sorted { $0.stamp < $1.stamp }.map(\.value)
    if case .value(let base)? = written(object, property.name)?.content, !base.isNull {
      values.insert(base, at: 0)
    } else if property.merge == .counter || values.isEmpty {
      values.insert(property.initialValue, at: 0)
    }
    if property.merge == .counter { return Self.sum(values) }
    return values.sorted { Self.isLess($0, $1) == (property.merge == .smallest) }.first ?? .null
  }

  private static func sum(_ values: [AttributeValue]) -> AttributeValue {
    values.reduce(.null) { sum, value in
      switch (sum, value) {
      case (.integer(let left), .integer(let right)): .integer(left + right)
      case (.double(let left), .double(let right)): .double(left + right)
      case (_, .null): sum
      default: value
      }
    }
  }

  private static func isLess(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.date(let left), .date(let right)), (.double(let left), .double(let right)): left < right
    default: false
    }
  }

  private func targets(_ object: Object, _ key: String, root: String, isSymmetric: Bool) -> [SyncID] {
    var targets: [SyncID] = []
    for (pair, stamp) in added where pair.key == key && stamp > (removed[pair] ?? .zero) {
      guard stamp > (deleted[pair.source] ?? .zero), lives(pair.source), lives(pair.target, below: root)
      else { continue }
      if pair.source == object { targets.append(pair.target) }
      if isSymmetric, pair.target == object.syncID, pair.source.syncID != object.syncID {
        targets.append(pair.source.syncID)
      }
    }
    return targets
  }

  /// One line for each object that lives: entity, sync ID, and every property that has something to show.
  public func contents() -> [String] {
    var lines: [String] = []
    for object in inserted.keys where lives(object) {
      guard let entity = schema.entities.first(where: { $0.name == object.entity }) else { continue }
      var parts = ["\(entity.name) \(object.syncID)"]
      for property in entity.properties {
        switch property.kind {
        case .attribute where property.merge.isFolded:
          let value = folded(object, property)
          if !value.isNull { parts.append("\(property.name)=\(value)") }
        case .attribute:
          if case .value(let value)? = written(object, property.name)?.content, !value.isNull {
            parts.append("\(property.name)=\(value)")
          }
        case .toOne(let root, let isExclusive):
          if let target = target(object, property.name, root: root, isExclusive: isExclusive) {
            parts.append("\(property.name)→\(target)")
          }
        case .toMany(let root, let isSymmetric):
          var targets = targets(object, property.name, root: root, isSymmetric: isSymmetric).sorted()
          if property.order.contains(.targets) {
            targets = ordered(targets, { $0 }) {
              Place(pair: Pair(source: object, key: property.name, target: $0), isInverse: false)
            }
          }
          if !targets.isEmpty { parts.append("\(property.name)→\(targets.map(\.string))") }
        }
      }
      for other in schema.entities {
        for property in other.properties
        where property.order.contains(.sources) && property.destination == entity.root {
          let sources = sources(object, of: other, property)
          if !sources.isEmpty {
            parts.append("\(other.name).\(property.name)←\(sources.map(\.string))")
          }
        }
      }
      lines.append(parts.joined(separator: " "))
    }
    return lines.sorted()
  }
}

extension SyncSchema.Property {
  /// Root of what a relationship leads to.
  var destination: String? {
    switch kind {
    case .attribute: nil
    case .toOne(let destination, _), .toMany(let destination, _): destination
    }
  }
}

extension SimulatedClient {
  /// One line for each object of the store, read through a fresh context.
  func contents() throws -> [String] {
    let context = try store.newContext()
    let schema = store.model.syncSchema
    var lines: [String] = []
    for entity in schema.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name)) {
        guard object.entity.name == entity.name else { continue }
        var parts = ["\(entity.name) \(Self.identifier(object))"]
        for property in entity.properties {
          switch property.kind {
          case .attribute:
            let value = object.value(at: property.index)
            if !value.isNull { parts.append("\(property.name)=\(value)") }
          case .toOne:
            if let target = object.target(at: property.index) {
              parts.append("\(property.name)→\(Self.identifier(target))")
            }
          case .toMany:
            let members = object.members(at: property.index).map { SyncID(Self.identifier($0)) }
            let targets = property.order.contains(.targets) ? members : members.sorted()
            if !targets.isEmpty { parts.append("\(property.name)→\(targets.map(\.string))") }
          }
        }
        parts += orderedSources(of: object, schema)
        lines.append(parts.joined(separator: " "))
      }
    }
    return lines.sorted()
  }

  /// The members of an object in relationships that are recorded at the other end and ordered at this one.
  private func orderedSources(of object: ManagedObject, _ schema: SyncSchema) -> [String] {
    var parts: [String] = []
    for other in schema.entities {
      guard let entity = store.model.entity(named: other.name) else { continue }
      for property in other.properties
      where property.order.contains(.sources) && property.destination == object.entity.root.name {
        guard let inverse = entity.relationship(at: property.index)?.inverse else { continue }
        let sources = object.members(inverse).map(Self.identifier)
        if !sources.isEmpty { parts.append("\(other.name).\(property.name)←\(sources)") }
      }
    }
    return parts
  }

  /// What SQLite finds wrong with the file, and relationships whose two sides contradict each other.
  func faults() throws -> [String] {
    var faults: [String] = []
    let context = try store.newContext()
    let statement = try context.connection.prepare("PRAGMA integrity_check")
    while try statement.step() {
      if statement.text(0) != "ok" { faults.append(statement.text(0)) }
    }
    for entity in store.model.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name)) {
        for (index, property) in entity.properties.enumerated() {
          guard let relationship = property.asRelationship, let inverse = relationship.inverseIndex else {
            continue
          }
          let targets =
            relationship.isToMany ? object.members(at: index) : object.target(at: index).map { [$0] } ?? []
          for target in targets {
            let back =
              relationship.inverseIsToMany
              ? target.hasMember(object, at: inverse) : target.target(at: inverse) === object
            if !back { faults.append("\(entity.name).\(property.name): the other side does not agree") }
          }
        }
      }
    }
    return faults
  }
}
