import ChangeTracking
import Foundation
import ObjectStore

/// A device: a store on disk, contexts that record, a replica, and a clock that is wrong.
final class SimulatedClient {
  let name: String
  let folder: URL
  let clock: SimulatedClock
  let setting: Setting
  /// The version of the model that the application has.
  private(set) var version: Int
  /// Which of the latest versions it gets.
  private(set) var line: Int
  /// Whether a report has told that versions of the model contradict each other.
  var toldOfContradiction = false
  /// What should never be, found while the device worked.
  var findings: [String] = []
  /// The greatest time of the sets that the store has merged: what is written later must bear a greater one.
  var seen: UInt64 = 0
  /// What the user has set in the first context and not saved yet, by object.
  var unsaved: [ObjectIdentifier: UnsavedEdit] = [:]
  /// Edits that met a merge and were saved or dropped since the last report, as far as they must be in the next.
  var untold: Set<SettledConflict> = []
  /// What the user has set in a child of it that has not saved yet.
  var unsavedInChild: [ObjectIdentifier: UnsavedEdit] = [:]
  /// Saves that the model's rules refused.
  var refusals = 0
  /// Merges that may still be taken back.
  var inverses: [MergeInverse] = []
  /// Whether the other process synchronises.
  var usesOtherProcess = false
  private var random: SeededRandomSource
  private var session: Session

  /// What lives in the memory of the device's process.
  private final class Session {
    let store: PersistentStore
    let context: ManagedObjectContext
    /// Another context that records, of the other process if there is one.
    let second: ManagedObjectContext?
    let replica: Replica
    /// That of another process.
    let otherReplica: Replica?

    init(
      _ folder: URL, _ name: String, _ clock: SimulatedClock, _ seed: UInt64, _ setting: Setting,
      version: Int,
      line: Int
    )
      throws
    {
      let path = folder.appending(path: "store.sqlite").path(percentEncoded: false)
      store = try setting.open(path, version: version, line: line)
      context = try store.newContext()
      let bits = SharedRandom(seed: seed)
      // Edits name entities of one model, whichever context they go to.
      let otherStore =
        setting.features.has(.twoProcesses)
        ? try setting.open(path, version: version, line: line, model: store.model) : nil
      let hasSecond = setting.features.has(.severalContexts)
      second = try otherStore?.newContext() ?? (hasSecond ? store.newContext() : nil)
      if setting.features.has(.unsavedEdits) { context.mergePolicy = setting.mergePolicy }
      context.undoIsEnabled = setting.features.has(.contextUndo)
      let configuration = Replica.Configuration(
        client: name, now: { clock.milliseconds }, random: { bits.next() }, setLimit: 20)
      replica = try store.newReplica(configuration)
      otherReplica = try otherStore?.newReplica(configuration)
    }
  }

  var store: PersistentStore { session.store }
  var context: ManagedObjectContext { session.context }
  var second: ManagedObjectContext? { session.second }
  var replica: Replica { (usesOtherProcess ? session.otherReplica : nil) ?? session.replica }
  var features: Features { setting.features }

  init(
    name: String, folder: URL, clock: SimulatedClock, seed: UInt64, setting: Setting, version: Int, line: Int
  )
    throws
  {
    self.name = name
    self.folder = folder
    self.clock = clock
    self.setting = setting
    self.version = version
    self.line = line
    random = SeededRandomSource(seed: seed)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    session = try Session(folder, name, clock, random.next(), setting, version: version, line: line)
    seen = Self.noted(in: folder)
  }

  /// Ends the process without warning and starts it again: only what is on disk remains.
  func restart() throws {
    unsaved = [:]
    session = try Session(folder, name, clock, random.next(), setting, version: version, line: line)
  }

  /// The application is brought up to the latest version, or to the next one, and the store with it.
  func update(toNext: Bool = false) throws {
    guard version < setting.latestVersion else { return }
    try freezeBeforeLoss()
    version = toNext ? version + 1 : setting.latestVersion
    trace("migrates to \(version)")
    try restart()
  }

  /// What a version drops is not sent any more if it was edited and is in no set.
  func freezeBeforeLoss() throws { if features.has(.droppedBetween) { _ = try replica.freeze() } }

  func trace(_ text: @autoclosure () -> String) { setting.trace("\(name): \(text())") }

  // MARK: Copies of the store

  /// Copies the store as a backup program would, in one moment.
  func backUp(to target: URL) throws {
    try? FileManager.default.removeItem(at: target)
    try FileManager.default.copyItem(at: folder, to: target)
    try noteSeen(in: target)
  }

  /// Puts an old copy in the place of the store.
  func restore(from copy: URL) throws {
    try leaveFolder { try FileManager.default.copyItem(at: copy, to: folder) }
    seen = Self.noted(in: copy)
    untold = []
    inverses = []
  }

  /// Begins anew from a snapshot of another device; what is in the store is gone.
  func beginAnew(from other: SimulatedClient) throws {
    if other.version > 0 { line = other.line }
    version = max(version, other.version)
    toldOfContradiction = other.toldOfContradiction
    try leaveFolder {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try other.snapshot(to: folder)
    }
    seen = other.seen
    untold = []
    inverses = []
  }

  /// Writes a snapshot into a folder.
  func snapshot(to folder: URL) throws -> StoreSnapshot {
    let path = folder.appending(path: "store.sqlite").path(percentEncoded: false)
    let snapshot = try replica.snapshot(to: path, keepingRemoteNotes: [])
    try noteSeen(in: folder)
    return snapshot
  }

  /// Lets something else be put in the place of the store, and opens it.
  private func leaveFolder(_ replace: () throws -> Void) throws {
    let seed = random.next()
    // A connection that is closed after the files were exchanged would remove the log of the new ones, by its name.
    let elsewhere = folder.deletingLastPathComponent().appending(path: "discarded-\(seed)")
    try FileManager.default.moveItem(at: folder, to: elsewhere)
    try FileManager.default.createDirectory(
      at: elsewhere.appending(path: "empty"), withIntermediateDirectories: true)
    session = try Session(
      elsewhere.appending(path: "empty"), name, clock, seed, setting, version: version, line: line)
    try replace()
    try restart()
    try FileManager.default.removeItem(at: elsewhere)
  }

  private func noteSeen(in folder: URL) throws {
    try Data(String(seen).utf8).write(to: folder.appending(path: "seen"))
  }

  private static func noted(in folder: URL) -> UInt64 {
    (try? String(contentsOf: folder.appending(path: "seen"), encoding: .utf8)).flatMap { UInt64($0) } ?? 0
  }
}
