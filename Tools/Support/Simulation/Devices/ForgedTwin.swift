import ChangeTracking
import ObjectStore

/// What another copy of a store could have said at the same times, under the same author and number.
struct ForgedTwin {
  let set: FrozenSet

  /// - Parameter keepsEntities: whether it says of no object that it is of another entity. Of two entities that are told of one object at one
  ///   time one is forgotten, and once one of them leaves the other's family, both would live. Which one follows from the first names of the two,
  ///   about which versions may contradict each other.
  /// - Returns: `nil` if it says the same.
  init?(of set: FrozenSet, keepsEntities: Bool, using random: inout SeededRandomSource) throws {
    var forging = Forging(
      set: try CompactCodec.decode(set.bytes), keepsEntities: keepsEntities, random: random)
    let bytes = try CompactCodec.encode(forging.forged())
    random = forging.random
    guard bytes != set.bytes else { return nil }
    var twin = set
    twin.bytes = bytes
    twin.hash = ContentHash(of: bytes)
    self.set = twin
  }
}

/// Changes what a set says, so that it stays a set that a replica could have made.
private struct Forging {
  let set: ChangeSet
  let keepsEntities: Bool
  var random: SeededRandomSource

  mutating func forged() -> ChangeSet {
    var twin = set
    twin.changes = []
    for change in set.changes {
      if Bool.random(using: &random) {
        twin.changes.append(change)
      } else if let other = forged(change) {
        twin.changes.append(other)
      }
    }
    return twin
  }

  /// - Returns: `nil` if the twin does not say it.
  private mutating func forged(_ change: Change) -> Change? {
    var change = change
    let names = set.entities[change.entity.rawValue]
    switch change.action {
    case .insert(let registers):
      // What its key tells of an object cannot be said of another.
      if names.properties.contains(where: { Self.isKey($0.name) }) { return change }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: change.action = .delete
      case 1 where !keepsEntities:
        change.entity = insertedEntities(below: names.root).randomElement(using: &random) ?? change.entity
        change.action = .insert([])
      default: change.action = .insert(forged(registers, names))
      }
    case .update(let registers):
      change.action = random.oneIn(4) ? .delete : .update(forged(registers, names))
    case .clear(let registers):
      change.action = random.oneIn(2) ? .clear(forged(registers, names)) : .update(forged(registers, names))
    case .link(let property, let target): change.action = .unlink(property: property, target: target)
    case .unlink(let property, let target): change.action = .link(property: property, target: target)
    case .place, .contribute, .delete: return nil
    }
    return change
  }

  private func insertedEntities(below root: String) -> [ChangeSet.EntityIndex] {
    set.changes.compactMap { change in
      guard case .insert = change.action, set.entities[change.entity.rawValue].root == root else {
        return nil
      }
      return change.entity
    }
  }

  private static func isKey(_ name: String) -> Bool { name.hasSuffix("key") }

  private mutating func forged(_ registers: [Register], _ names: EntityNames) -> [Register] {
    registers.map { register in
      guard !Self.isKey(names.properties[register.property.rawValue].name) else { return register }
      return Register(property: register.property, content: forged(register.content))
    }
  }

  private mutating func forged(_ content: Register.Content) -> Register.Content {
    switch content {
    case .value(.integer): .value(.integer(Int64.random(in: 0...3, using: &random)))
    case .value(.boolean(let flag)): .value(.boolean(!flag))
    case .value(.date(let date)): .value(.date(date + (Bool.random(using: &random) ? 1 : -1)))
    case .value(.double): .value(.double(Bool.random(using: &random) ? 3 : -1.5))
    case .value(.string): .value(.string(Bool.random(using: &random) ? "a" : "text 2"))
    case .target(.some) where random.oneIn(3): .target(nil)
    default: content
    }
  }
}
