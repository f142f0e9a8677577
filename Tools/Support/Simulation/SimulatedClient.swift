import ChangeTracking
import Foundation
import ObjectStore
import SQLite
import Synchronization

/// A device: a store on disk, a context that records, a replica, and a clock that is wrong.
final class SimulatedClient {
  let name: String
  let folder: URL
  let clock: SimulatedClock
  private var random: SeededRandomSource
  private var session: Session

  /// What lives in the memory of the device's process.
  private final class Session {
    let store: PersistentStore
    let context: ManagedObjectContext
    let replica: Replica

    init(_ folder: URL, _ name: String, _ clock: SimulatedClock, _ seed: UInt64) throws {
      store = try PersistentStore(
        model: SimulationModel.make(),
        path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
      context = try store.newContext()
      var random = SeededRandomSource(seed: seed)
      let bits = SharedRandom(seed: random.next())
      context.addParticipant(try SaveRecorder(context: context, now: { clock.milliseconds }, random: random))
      replica = try store.newReplica(
        Replica.Configuration(
          client: name, now: { clock.milliseconds }, random: { bits.next() },
          setLimit: 20))
    }
  }

  var store: PersistentStore { session.store }
  var context: ManagedObjectContext { session.context }
  var replica: Replica { session.replica }

  init(name: String, folder: URL, clock: SimulatedClock, seed: UInt64) throws {
    self.name = name
    self.folder = folder
    self.clock = clock
    random = SeededRandomSource(seed: seed)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    session = try Session(folder, name, clock, random.next())
  }

  /// Ends the process without warning and starts it again: only what is on disk remains.
  func restart() throws {
    session = try Session(folder, name, clock, random.next())
  }

  // MARK: Copies of the store

  /// Copies the store as a backup program would, in one moment.
  func backUp(to target: URL) throws {
    try? FileManager.default.removeItem(at: target)
    try FileManager.default.copyItem(at: folder, to: target)
  }

  /// Puts an old copy in the place of the store.
  func restore(from copy: URL) throws {
    let seed = random.next()
    // A connection that is closed after the files were exchanged would remove the log of the new ones, by its name.
    let elsewhere = folder.deletingLastPathComponent().appending(path: "discarded-\(seed)")
    try FileManager.default.moveItem(at: folder, to: elsewhere)
    try FileManager.default.createDirectory(
      at: elsewhere.appending(path: "empty"), withIntermediateDirectories: true)
    session = try Session(elsewhere.appending(path: "empty"), name, clock, seed)
    try FileManager.default.copyItem(at: copy, to: folder)
    try restart()
    try FileManager.default.removeItem(at: elsewhere)
  }

  // MARK: Sync

  /// The bytes of a set's file; a simulation leaves them in the clear.
  private static func sealing(_ plain: [UInt8], _: AuthorID, _: UInt64) -> [UInt8] { plain }

  /// One synchronisation, which stops after a number of steps as if the process had ended there.
  ///
  /// - Returns: whether it came to its end.
  func synchronize(with remote: SimulatedRemote, policy: ConflictPolicy, stepsUntilCrash: Int?) throws -> Bool
  {
    var steps = stepsUntilCrash
    func mayGoOn() -> Bool {
      guard let left = steps else { return true }
      steps = left - 1
      return left > 0
    }
    if try remote.holdsUnknownWork(of: replica, seenBy: name) { try replica.beginNewIncarnation() }
    _ = try replica.freeze(sealing: Self.sealing)
    guard mayGoOn() else { return false }
    for batch in try remote.news(for: replica, seenBy: name) {
      _ = try replica.apply(batch, policy: policy, sealing: Self.sealing)
      guard mayGoOn() else { return false }
    }
    _ = try replica.freeze(sealing: Self.sealing)
    guard mayGoOn() else { return false }
    for set in try replica.outbox() {
      remote.upload(set)
      guard mayGoOn() else { return false }
      try replica.acknowledge(through: set.sequence)
      guard mayGoOn() else { return false }
    }
    return true
  }
}

/// A wall clock that the simulation sets.
final class SimulatedClock: Sendable {
  private let value: Atomic<UInt64>

  init(_ milliseconds: UInt64) { value = Atomic(milliseconds) }

  var milliseconds: UInt64 { value.load(ordering: .relaxed) }

  func advance(_ milliseconds: UInt64) { value.add(milliseconds, ordering: .relaxed) }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct SeededRandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}

/// A random source that closures share.
final class SharedRandom: Sendable {
  private let source: Mutex<SeededRandomSource>

  init(seed: UInt64) { source = Mutex(SeededRandomSource(seed: seed)) }

  func next() -> UInt64 { source.withLock { $0.next() } }
}
