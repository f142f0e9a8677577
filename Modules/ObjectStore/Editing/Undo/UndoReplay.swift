/// Takes changes back, the last one first.
///
/// Each is taken back through the object's own interface, which keeps both sides of relationships in step. So an undo leaves
/// a sound graph even if others have changed it since; and where they have not, the graph is what it was.
struct UndoReplay {
  private let context: ManagedObjectContext
  /// Objects that others have deleted since.
  private(set) var missing: [ManagedObject] = []

  init(context: ManagedObjectContext) {
    self.context = context
  }

  mutating func revert(_ operation: UndoOperation) {
    switch operation {
    case .value(let object, let index, let old):
      if isThere(object), object.value(at: index) != old { object.setValue(old, at: index) }
    case .target(let object, let index, let old):
      guard isThere(object) else { return }
      object.setTarget(old.flatMap { isThere($0) ? $0 : nil }, at: index)
    case .lost(let object, let index, let target):
      // Others may have given it another target since.
      guard isThere(object), isThere(target), object.target(at: index) == nil else { return }
      object.setTarget(target, at: index)
      context.undoHistory?.restored.insert(object, at: index)
    case .came(let object, let index, let member):
      if isThere(object), isThere(member) { object.removeMember(member, at: index) }
    case .left(let object, let index, let member, let position):
      if isThere(object), isThere(member) { object.insertMember(member, at: index, position: position) }
    case .moved(let object, let index, let member, let position):
      guard isThere(object), isThere(member), object.hasMember(member, at: index) else { return }
      object.insertMember(member, at: index, position: position)
    case .appeared(let object):
      if context.isAlive(object) { context.withdraw(object) }
    case .disappeared(let object, let remains):
      if !context.revive(object, remains) { note(object) }
    }
  }

  private mutating func isThere(_ object: ManagedObject) -> Bool {
    if context.isAlive(object) { return true }
    // One that this context deletes is not missing: it is on its way out by another operation.
    if !object.isDeleted { note(object) }
    return false
  }

  private mutating func note(_ object: ManagedObject) {
    if !missing.contains(where: { $0 === object }) { missing.append(object) }
  }
}
