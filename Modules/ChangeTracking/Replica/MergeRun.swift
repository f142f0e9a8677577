import ObjectStore
import TICDSSQLite

/// The merge of some sets, slice by slice.
///
/// Cells are commutative, so that a slice may be any part of the changes. What has been merged is visible: objects may show
/// before what points at them, which is what also happens between two sets of their author.
final class MergeRun {
  /// Conflicts without an answer. Nothing was changed.
  struct Undecided: Error {
    let conflicts: [Conflict]
  }

  /// What the slices so far have done.
  var report: ApplyReport { (next ?? state).report }
  /// What was answered in the last slice and no row can show, so that the log does not tell it. Sets are to be made of the log in the same transaction.
  private(set) var hidden: [RegisterID: Register.Content] = [:]
  private let received: [ReceivedSet]
  private let policy: ConflictPolicy
  private let keepsInverse: Bool
  private let options: MergeOptions
  private let log: ChangeLog
  private let progress: ((ApplyProgress) throws -> Void)?
  /// Whether the sets are those of a copy (``Replica/mergeCopy(at:policy:along:)``): what they stand for is noted with the last of them.
  private let isOfCopy: Bool
  /// Whether a merge goes on where names turn out to be of something that is known by others, which it cannot unite.
  private let areNamesLearnt: Bool
  private let carryOver = SliceCarryOver()
  private var state = State()
  /// What becomes of the state once the last slice is durable.
  private var next: State?

  private struct State {
    var report = ApplyReport()
    /// The sets that are new here; set with the first slice.
    var sets: [ChangeSet]?
    var places: [MergeOrder.Place] = []
    var position = 0
    /// Registers that were kept aside by the slices so far.
    var parked: Set<RegisterID> = []
    /// What the slices so far missed.
    var missing: [MissingObject] = []
    /// What the next report tells if this merge does not come to its end.
    var settled: [StateTable.Name] = []
  }

  init(
    _ received: [ReceivedSet], policy: ConflictPolicy, keepsInverse: Bool,
    options: MergeOptions, log: ChangeLog, isOfCopy: Bool = false, areNamesLearnt: Bool = true,
    progress: ((ApplyProgress) throws -> Void)?
  ) {
    self.isOfCopy = isOfCopy
    self.areNamesLearnt = areNamesLearnt
    self.received = received
    self.policy = policy
    self.keepsInverse = keepsInverse
    self.options = options
    self.log = log
    self.progress = progress
  }

  /// Changes in one transaction.
  private var sliceLimit: Int {
    if case .answers = policy { return .max }
    return keepsInverse || isOfCopy ? .max : options.sliceLimit
  }

  /// The places of the next slice.
  private func slice(of state: State) -> Range<Int> {
    state.position..<state.position + min(state.places.count - state.position, sliceLimit)
  }

  /// Notes that the last slice is durable. Without it, the slice is done again.
  func confirm(on connection: Connection) {
    if let next { state = next }
    next = nil
    carryOver.confirm(on: connection)
  }

  /// Merges the next changes, in a transaction in which the log is empty.
  ///
  /// - Returns: whether all sets are applied.
  /// - Throws: `UnknownNames` before anything is merged.
  func mergeSlice(in transaction: ReplicaTransaction) throws -> Bool {
    next = nil
    var state = state
    let cells = transaction.cells
    let admission = Admission(cells: cells, options: options)
    let isFirst = state.sets == nil
    let sets =
      try state.sets ?? (isOfCopy ? received.map(\.set) : admission.admissible(received, &state.report))
    state.sets = sets
    // A later slice touches some of the sets only.
    let touched = isFirst ? Set(sets.indices) : Set(state.places[slice(of: state)].map(\.set))
    let merged = try sets.indices.map { index in
      touched.contains(index)
        ? MergedSet(set: sets[index], names: try SetNames(sets[index], in: cells.names)) : nil
    }
    guard areNamesLearnt || !cells.names.hasNewRelatives else { throw UnknownNames() }
    if isFirst {
      let names = merged.compactMap { $0?.names }
      state.places = try MergeOrder.places(in: sets, names: names)
      admission.reportExcess(of: sets, names, &state.report)
      try admission.receiveTimes(of: sets, &state.report)
    }
    let journal = keepsInverse ? ShownJournal(reader: transaction.reader) : nil
    transaction.showing.rows.journal = journal
    carryOver.begin(transaction.showing)
    // What is reported as kept aside is what this merge keeps aside.
    cells.parked.beginNoting()

    let told = (conflicts: state.report.conflicts.count, warnings: state.report.warnings.count)
    let merge = try Merge(
      reader: transaction.reader, local: localSide(cells), policy: policy, report: state.report,
      missing: state.missing)
    let end = slice(of: state).upperBound
    for index in state.position..<end {
      if index > state.position, (index - state.position) % Self.stride == 0 {
        try tell(index, of: state.places.count, merge)
      }
      try cells.objects.spill()
      guard let set = merged[state.places[index].set] else { continue }
      try merge.merge(set.set.changes[state.places[index].change], of: set.set, set.names)
      try merge.takeEffects(transaction.showing.show)
    }
    guard merge.undecided.isEmpty else { throw Undecided(conflicts: merge.undecided) }
    try transaction.showing.settle()
    try log(merge.standingDecisions(), transaction)
    let fresh = cells.parked.fresh.prefix(Self.notedLimit - min(state.parked.count, Self.notedLimit))
    state.parked.formUnion(fresh)

    let isLast = end == state.places.count
    if isLast {
      if !isOfCopy { try admission.admit(received) }
      try merge.reportMissing()
      try merge.reportParked(state.parked)
      merge.report.inverse = try journal?.inverse()
    }
    try keepSettled(of: merge.report, after: told, isLast: isLast, cells, &state)
    if isLast, !isOfCopy { try admission.tellWaiting(in: &merge.report) }
    merge.report.changedSlices.append(transaction.showing.rows.changes)
    state.missing = try merge.stillMissing()
    try Freezing.moveFrontiers(of: transaction.reader)
    try tell(end, of: state.places.count, merge)
    state.report = merge.report
    state.position = end
    carryOver.end(transaction.showing)
    next = state
    return isLast
  }

  /// Sees to it that a report tells what a slice has settled, if this merge does not come to its end: who merges the sets again meets it no more.
  private func keepSettled(
    of report: ApplyReport, after told: (conflicts: Int, warnings: Int), isLast: Bool, _ cells: Cells,
    _ state: inout State
  ) throws {
    let settled = SettledConflicts(cells.state)
    func entries(after told: (conflicts: Int, warnings: Int)) -> [SettledConflicts.Entry] {
      report.conflicts[told.conflicts...].compactMap(SettledConflicts.Entry.init)
        + report.warnings[told.warnings...].compactMap(SettledConflicts.Entry.init)
    }
    if isLast { return try settled.remove(state.settled, toldBy: entries(after: (0, 0))) }
    state.settled += try settled.insert(entries(after: told))
  }

  /// A set with its names. A class, for every change looks its set up, and structures of arrays are dear to copy.
  private final class MergedSet {
    let set: ChangeSet
    let names: SetNames

    init(set: ChangeSet, names: SetNames) {
      self.set = set
      self.names = names
    }
  }

  /// Registers are noted by number, so that memory is bounded.
  private static let notedLimit = 20_000
  /// Changes between two looks at whether to go on.
  private static let stride = 250

  private func localSide(_ cells: Cells) throws -> Merge.LocalSide {
    Merge.LocalSide(
      author: try cells.state.author, client: options.client,
      pushed: try cells.state.time(.pushedTime), hasUnpushed: try !Outbox(cells.connection).isEmpty,
      hasBeenAway: isOfCopy)
  }

  /// Logs answers that differ from the stamps' verdict as new local changes.
  private func log(_ decisions: [Merge.Decision], _ transaction: ReplicaTransaction) throws {
    hidden = [:]
    for decision in decisions {
      let slot = try transaction.cells.objects.slot(decision.register.object)
      let record = transaction.cells[slot]
      // Sets say nothing of what the local model does not know: the answer would stay on this device.
      let isKnown = try transaction.cells.property(decision.register.bit, of: slot).local != nil
      if let row = record.row, isKnown {
        try log.appendUpdate(
          entity: record.entity, row: row, bit: decision.register.bit,
          time: ChangeLog.nextTime(transaction.cells.connection, now: options.now()))
        if try transaction.cells.parked.contains(decision.register) {
          hidden[decision.register] = try transaction.reader.content(of: record, decision.register.bit)
        }
      } else {
        try transaction.showing.park([Win(bit: decision.register.bit, content: decision.verdict)], of: slot)
      }
    }
  }

  private func tell(_ number: Int, of total: Int, _ merge: Merge) throws {
    try Task.checkCancellation()
    guard number > 0 else { return }
    try progress?(
      ApplyProgress(number: number, total: total, author: merge.stamp.author, client: merge.client))
  }
}
