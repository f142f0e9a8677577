import ObjectStore

/// Checks a set as a whole before anything of it is merged, so that one which is invalid has no effect at all.
///
/// What concerns one change alone does not make a set invalid: a content that does not fit the kind of its property, or a time
/// that is not valid, is left out with a warning.
struct SetCheck {
  private let set: ChangeSet
  private var values = 0
  private var formerAuthors: Set<AuthorID> = []

  init(_ set: ChangeSet) { self.set = set }

  /// - Throws: ``ReplicaError`` with `invalidSet`.
  consuming func run() throws(ReplicaError) {
    // The bookkeeping says by this number that nobody has written something, and keeps no position for it.
    guard set.author != .nobody else { throw ReplicaError.invalidSet(set, "Its author is nobody.") }
    guard set.sequence > 0 else { throw ReplicaError.invalidSet(set, "Sets are numbered from 1.") }
    try require(set.changes.count, atMost: SetLimits.changes, "changes")
    try requireText(set.client, atMost: SetLimits.identifierLength, "the client's identifier")
    try requireText(set.model, atMost: SetLimits.identifierLength, "the model's checksum")
    try checkNames()
    for change in set.changes { try check(change) }
    try require(values, atMost: SetLimits.values, "changes, written properties and targets")
    try require(formerAuthors.count, atMost: SetLimits.formerAuthors, "former authors")
  }

  private func checkNames() throws(ReplicaError) {
    try require(set.entities.count, atMost: SetLimits.entities, "entities")
    var (properties, formerNames) = (0, 0)
    for entity in set.entities {
      properties += entity.properties.count
      try checkFormer(entity.formerNames, &formerNames)
      for name in [entity.name, entity.root] { try requireName(name, "the name of an entity") }
      for property in entity.properties {
        try checkFormer(property.formerNames, &formerNames)
        for name in [property.name, property.kind.stored.destination ?? property.name] {
          try requireName(name, "the name of a property")
        }
      }
    }
    try require(properties, atMost: SetLimits.properties, "properties")
    try require(formerNames, atMost: SetLimits.allFormerNames, "former names")
  }

  /// An empty name stands for nothing, so nobody could say what was written under it.
  private func requireName(_ name: String, _ what: String) throws(ReplicaError) {
    guard !name.isEmpty else { throw ReplicaError.invalidSet(set, "It has nothing for \(what).") }
    try requireText(name, atMost: SetLimits.nameLength, what)
  }

  private func checkFormer(_ names: [String], _ count: inout Int) throws(ReplicaError) {
    try require(names.count, atMost: SetLimits.formerNames, "former names of one thing")
    for name in names { try requireText(name, atMost: SetLimits.nameLength, "a former name") }
    count += names.count
  }

  private mutating func check(_ change: Change) throws(ReplicaError) {
    guard set.entities.indices.contains(change.entity.rawValue) else { throw ReplicaError.undeclared(set) }
    let properties = set.entities[change.entity.rawValue].properties.indices
    try check(change.object)
    values += 1
    switch change.action {
    case .insert(let registers), .update(let registers), .clear(let registers):
      values += registers.count
      for register in registers {
        guard properties.contains(register.property.rawValue) else { throw ReplicaError.undeclared(set) }
        if case .target(let target?) = register.content { try check(target) }
      }
      try requireEachOnce(registers)
    case .delete: break
    case .link(let property, let target), .unlink(let property, let target):
      guard properties.contains(property.rawValue) else { throw ReplicaError.undeclared(set) }
      try check(target)
    case .place(let property, let target, _, let place):
      guard properties.contains(property.rawValue) else { throw ReplicaError.undeclared(set) }
      try check(target)
      try require(place.count, atMost: SetLimits.placeLength, "bytes of a place")
    case .contribute(let property, _, let origin):
      guard properties.contains(property.rawValue) else { throw ReplicaError.undeclared(set) }
      if let origin { formerAuthors.insert(origin) }
    }
  }

  /// Which of two contents of one time shows would be decided by what else is merged with them.
  private func requireEachOnce(_ registers: [Register]) throws(ReplicaError) {
    var (first, others): (UInt64, Set<Int>) = (0, [])
    for register in registers {
      let property = register.property.rawValue
      let isNew: Bool
      if property < UInt64.bitWidth {
        isNew = first & 1 << property == 0
        first |= 1 << property
      } else {
        isNew = others.insert(property).inserted
      }
      if !isNew { throw ReplicaError.invalidSet(set, "A change writes one property twice.") }
    }
  }

  private func check(_ identifier: SyncID) throws(ReplicaError) {
    guard !identifier.isWithinLimits else { return }
    throw ReplicaError.invalidSet(
      set, "A sync ID has not from 1 to \(SetLimits.identifierLength) bytes.")
  }

  private func require(_ count: Int, atMost limit: Int, _ what: String) throws(ReplicaError) {
    guard count > limit else { return }
    throw ReplicaError.invalidSet(set, "It has \(count) \(what), but may have \(limit).")
  }

  private func requireText(_ text: String, atMost limit: Int, _ what: String) throws(ReplicaError) {
    guard text.utf8.count > limit else { return }
    throw ReplicaError.invalidSet(set, "It has \(text.utf8.count) bytes for \(what), but may have \(limit).")
  }
}
