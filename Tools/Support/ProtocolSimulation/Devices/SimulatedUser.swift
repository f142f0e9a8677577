import ChangeTracking
import Simulation
import Synchronization

/// Decides the conflicts of a device, each for either side.
final class SimulatedUser: Sendable {
  private let random: SharedRandom
  /// The objects about which the user was asked, until somebody looks.
  private let asked = Mutex<Set<String>>([])

  init(seed: UInt64) { random = SharedRandom(seed: seed) }

  func answers(to conflicts: [Conflict]) -> [Conflict.ID: ConflictAnswer] {
    asked.withLock { $0.formUnion(conflicts.map(\.id.object.string)) }
    let sides: [ConflictAnswer] = [.local, .remote, .latest]
    return Dictionary(conflicts.map { ($0.id, sides[Int(random.next() % 3)]) }) { first, _ in first }
  }

  /// The objects about which the user was asked since this was called.
  func takeAsked() -> Set<String> {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }
}
