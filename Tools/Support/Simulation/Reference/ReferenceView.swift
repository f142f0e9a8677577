import ChangeTracking
import ObjectStore

/// What the cells of a ``ReferenceState`` show.
struct ReferenceView {
  typealias Object = ReferenceState.Object
  typealias Cell = ReferenceState.Cell
  typealias Pair = ReferenceState.Pair
  typealias Place = ReferenceState.Place

  private struct Claim: Hashable {
    var root: String
    var key: String
    var target: Object
  }

  let state: ReferenceState
  private let living: [Object]
  /// Who shows an exclusive target: the claim with the greatest stamp.
  private var claims: [Claim: (object: Object, stamp: PlainStamp)] = [:]
  /// Values that must be unique and belong to others.
  private var contested: Set<Cell> = []

  init(_ state: ReferenceState) {
    self.state = state
    living = state.inserted.keys.filter { Self.lives($0, state) }
    for object in living {
      guard let entity = entity(of: object) else { continue }
      for property in entity.properties { claim(property, of: object) }
    }
    contested = PlainUniqueness(living.compactMap(claimant), state.rules).hidden
  }

  private mutating func claim(_ property: SyncSchema.Property, of object: Object) {
    guard case .toOne(_, isExclusive: true) = property.kind, let written = written(object, property.name),
      case .target(let target?) = written.content
    else { return }
    let claim = Claim(root: object.root, key: property.name, target: target)
    if let other = claims[claim], !Self.outranks(object, written.stamp, other) { return }
    claims[claim] = (object, written.stamp)
  }

  private func claimant(_ object: Object) -> PlainUniqueness.Claimant? {
    guard let entity = entity(of: object) else { return nil }
    var claimant = PlainUniqueness.Claimant(object: object, entity: entity.name)
    let constrained = state.rules.constrainedKeys
    for key in entity.properties.map(\.name) where constrained.contains(key) {
      guard let written = written(object, key) else { continue }
      claimant.stamps[key] = written.stamp
      if case .value(let value) = written.content, !value.isNull {
        claimant.values[key] = PlainContent.bytes(of: held(value, key, of: object))
      }
    }
    return claimant
  }

  /// Whether a claim shows rather than another: the later, and of two with one stamp, which only copies of a store can make, that of the
  /// object with the greater identifier.
  private static func outranks(
    _ object: Object, _ stamp: PlainStamp, _ other: (object: Object, stamp: PlainStamp)
  ) -> Bool {
    stamp == other.stamp ? other.object.id.precedes(object.id) : stamp.isAfter(other.stamp)
  }

  // MARK: Existence

  private static func lives(_ object: Object, _ state: ReferenceState) -> Bool {
    guard let inserted = state.inserted[object] else { return false }
    return inserted.isAfter(state.deleted[object] ?? .never)
  }

  private func lives(_ object: Object) -> Bool { Self.lives(object, state) }

  /// Whether something written then was not erased by a deletion since.
  private func outlasts(_ stamp: PlainStamp, _ object: Object) -> Bool {
    stamp.isAfter(state.deleted[object] ?? .never)
  }

  private func entity(of object: Object) -> SyncSchema.Entity? {
    state.schema.entities.first { $0.name == state.entities[object] }
  }

  /// Whether an object lives and is of an entity that a relationship leads to.
  private func shows(_ target: Object, in property: SyncSchema.Property) -> Bool {
    guard lives(target) else { return false }
    guard let admitted = property.targets else { return true }
    return state.entities[target].map(admitted.contains) ?? false
  }

  // MARK: Registers

  private func written(_ object: Object, _ key: String) -> ReferenceState.Written? {
    guard let written = state.registers[Cell(object: object, key: key)], outlasts(written.stamp, object)
    else { return nil }
    return written
  }

  private func value(_ object: Object, _ property: SyncSchema.Property) -> AttributeValue {
    if property.merge.isFolded { return folded(object, property) }
    guard case .value(let written)? = written(object, property.name)?.content, !written.isNull else {
      return property.blank
    }
    if contested.contains(Cell(object: object, key: property.name)) { return .null }
    return held(written, property.name, of: object)
  }

  private func held(_ value: AttributeValue, _ key: String, of object: Object) -> AttributeValue {
    state.rules.held(value, key, of: state.entities[object] ?? "")
  }

  private func target(_ object: Object, _ property: SyncSchema.Property) -> Object? {
    guard let target = claimed(object, property.name), shows(target, in: property) else { return nil }
    switch property.kind {
    case .attribute, .toMany: return nil
    // Both must say it, or it could be seen from one side only.
    case .partner: return claimed(target, property.name) == object ? target : nil
    case .toOne(_, isExclusive: false): return target
    case .toOne(_, isExclusive: true): break
    }
    let claim = Claim(root: object.root, key: property.name, target: target)
    return claims[claim]?.object == object ? target : nil
  }

  private func claimed(_ object: Object, _ key: String) -> Object? {
    guard case .target(let target)? = written(object, key)?.content else { return nil }
    return target
  }

  /// What contributions show together with what was written as a whole.
  private func folded(_ object: Object, _ property: SyncSchema.Property) -> AttributeValue {
    var base = AttributeValue.null
    if case .value(let value)? = written(object, property.name)?.content { base = value }
    let valid = state.contributions[Cell(object: object, key: property.name), default: []].filter {
      outlasts($0.stamp, object)
    }
    let range = state.rules.range(property.name, of: state.entities[object] ?? "")
    return PlainFold(merge: property.merge, initial: property.initialValue, range: range).value(
      base: base, valid
    ) { held($0, property.name, of: object) }
  }

  // MARK: Links

  private func targets(_ object: Object, _ property: SyncSchema.Property, isSymmetric: Bool) -> [Object] {
    var targets: [Object] = []
    for (pair, stamp) in state.added where pair.key == property.name && pair.source.root == object.root {
      guard stamp.isAfter(state.removed[pair] ?? .never), outlasts(stamp, pair.source), lives(pair.source),
        lives(pair.target)
      else { continue }
      let other = pair.source == object ? pair.target : pair.source
      guard shows(other, in: property) else { continue }
      if pair.source == object { targets.append(pair.target) }
      if isSymmetric, pair.target == object, pair.source != object { targets.append(pair.source) }
    }
    return targets
  }

  /// A place, unless one of the two objects was deleted after it.
  private func bytes(of place: Place) -> [UInt8]? {
    guard let written = state.places[place], outlasts(written.stamp, place.pair.source),
      !(state.deleted[place.pair.target] ?? .never).isAfter(written.stamp)
    else { return nil }
    return written.bytes
  }

  /// Members in the order of their places; those without a place come last, equal ones in the order of their sync IDs.
  private func ordered(_ members: [Object], _ place: (Object) -> Place) -> [Object] {
    let known = members.map { (object: $0, bytes: bytes(of: place($0))) }
    return known.sorted { left, right in
      if left.bytes == right.bytes { return left.object.id.precedes(right.object.id) }
      guard let mine = left.bytes else { return false }
      guard let theirs = right.bytes else { return true }
      return mine.lexicographicallyPrecedes(theirs)
    }.map(\.object)
  }

  /// The objects that show `target` in a relationship of theirs, in the order that the target gives them.
  private func sources(_ target: Object, of entity: String, _ property: SyncSchema.Property) -> [Object] {
    let sources = living.filter { source in
      guard state.entities[source] == entity else { return false }
      switch property.kind {
      case .attribute: return false
      case .toOne, .partner: return self.target(source, property) == target
      case .toMany(_, let isSymmetric):
        return targets(source, property, isSymmetric: isSymmetric).contains(target)
      }
    }
    return ordered(sources) {
      Place(pair: Pair(source: $0, key: property.name, target: target), isInverse: true)
    }
  }

  // MARK: Lines

  func lines() -> [String] {
    living.compactMap { object in entity(of: object).map { line(object, $0) } }.sorted()
  }

  private func line(_ object: Object, _ entity: SyncSchema.Entity) -> String {
    var line = ContentLine(entity: entity.name, id: object.id)
    for property in entity.properties {
      switch property.kind {
      case .attribute: line.add(property.name, value(object, property))
      case .toOne, .partner: line.add(property.name, target: target(object, property)?.id)
      case .toMany(_, let isSymmetric):
        let targets = targets(object, property, isSymmetric: isSymmetric)
        if property.order.contains(.targets) {
          let list = ordered(targets) {
            Place(pair: Pair(source: object, key: property.name, target: $0), isInverse: false)
          }
          line.add(property.name, list: list.map(\.id))
        } else {
          line.add(property.name, set: targets.map(\.id))
        }
      }
    }
    for (key, group) in orderedSources(of: entity) {
      let sources = group.flatMap { self.sources(object, of: $0.entity, $0.property) }
      // The entities of a family share one list.
      let list = ordered(sources) {
        Place(pair: Pair(source: $0, key: key, target: object), isInverse: true)
      }
      line.add("←" + key, list: list.map(\.id))
    }
    return line.text
  }

  /// The relationships that are recorded at the other end and ordered at this one, by name.
  private func orderedSources(of entity: SyncSchema.Entity) -> [(
    String, [(entity: String, property: SyncSchema.Property)]
  )] {
    var groups: [String: [(entity: String, property: SyncSchema.Property)]] = [:]
    for other in state.schema.entities {
      for property in other.properties
      where property.order.contains(.sources) && property.kind.destination == entity.root {
        groups[property.name, default: []].append((other.name, property))
      }
    }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension SyncSchema.Property.Kind {
  /// Root of what a relationship leads to.
  var destination: String? {
    switch self {
    case .attribute: nil
    case .toOne(let destination, _), .toMany(let destination, _), .partner(let destination): destination
    }
  }
}
