/// The steps that can be undone and redone, and the one that is being made.
final class UndoHistory {
  struct Step {
    var name: String?
    var operations: [UndoOperation] = []
  }

  private(set) var undoable: [Step] = []
  private(set) var redoable: [Step] = []
  private var open = Step()
  private var depth = 0
  private var suspensions = 0
  private var isReplaying = false
  /// What undoing deletions has made lead to the objects again.
  var restored = RestoredReferences()
  /// The most steps that are kept; `nil` for all.
  var limit: Int? {
    didSet { trim() }
  }

  /// Whether changes are to be noted.
  var isRecording: Bool { suspensions == 0 }
  /// Whether a group is being made.
  var isGrouping: Bool { depth > 0 }
  var canUndo: Bool { !isGrouping && !isReplaying && !(undoable.isEmpty && open.operations.isEmpty) }
  var canRedo: Bool { !isGrouping && !isReplaying && !redoable.isEmpty && open.operations.isEmpty }

  func note(_ operation: UndoOperation) {
    if !isRecording { return }
    if !isReplaying, !redoable.isEmpty { redoable = [] }
    open.operations.append(operation)
  }

  func suspend() { suspensions += 1 }
  func resume() { suspensions -= 1 }

  /// Begins a group. The outermost one closes what was changed before it.
  func beginGroup(_ name: String?) {
    if depth == 0 {
      closeStep()
      open.name = name
    }
    depth += 1
  }

  func endGroup() {
    depth -= 1
    if depth == 0 { closeStep() }
  }

  /// Ends the step that is open, unless a group will.
  func closeStep() {
    if isGrouping || isReplaying { return }
    if !open.operations.isEmpty {
      undoable.append(open)
      trim()
    }
    open = Step()
  }

  private func trim() {
    guard let limit, undoable.count > limit else { return }
    undoable.removeFirst(undoable.count - max(0, limit))
  }

  /// Drops what was done to an object, which is not its own any more.
  func forget(_ object: ManagedObject) {
    open.operations.removeAll { $0.concerns(object) }
    for index in undoable.indices { undoable[index].operations.removeAll { $0.concerns(object) } }
    for index in redoable.indices { redoable[index].operations.removeAll { $0.concerns(object) } }
  }

  func clear() {
    undoable = []
    redoable = []
    open.operations = []
  }

  /// Takes the last step back: what `replay` changes meanwhile is the step that does it again.
  func undo(_ replay: ([UndoOperation]) -> Void) {
    guard canUndo else { return }
    closeStep()
    guard let step = undoable.popLast() else { return }
    redoable.append(run(step, replay))
  }

  /// Does again what was taken back last.
  func redo(_ replay: ([UndoOperation]) -> Void) {
    guard canRedo, let step = redoable.popLast() else { return }
    undoable.append(run(step, replay))
  }

  private func run(_ step: Step, _ replay: ([UndoOperation]) -> Void) -> Step {
    isReplaying = true
    replay(step.operations.reversed())
    isReplaying = false
    defer { open = Step() }
    return Step(name: step.name, operations: open.operations)
  }
}
