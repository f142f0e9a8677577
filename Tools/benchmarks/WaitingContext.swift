import ChangeTracking
import Foundation
import Locking
import ObjectStore

/// A context on a thread of its own that reads and saves all the time, as an application does while it is synchronised.
enum WaitingContext {
  /// The longest times that something took, in milliseconds.
  struct Longest {
    var save = 0.0
    var read = 0.0
  }

  private struct Progress {
    var longest = Longest()
    var isDone = false
    var failure: String?
  }

  struct Failure: Error { var message: String }

  /// Runs `body` while another context of the store saves one object again and again, with pauses like a user's.
  static func watching(_ scale: ScaleStore, _ body: () throws -> Void) throws -> Longest {
    let progress = Locked(Progress())
    let ended = DispatchSemaphore(value: 0)
    let store = scale.store
    Thread {
      do {
        try edit(store, progress)
      } catch {
        let message = String(describing: error)
        progress.withLock { $0.failure = message }
      }
      ended.signal()
    }.start()
    defer {
      progress.withLock { $0.isDone = true }
      ended.wait()
    }
    try body()
    if let failure = progress.withLock({ $0.failure }) { throw Failure(message: failure) }
    return progress.withLock { $0.longest }
  }

  private static func edit(_ store: PersistentStore, _ progress: Locked<Progress>) throws {
    store.recordChanges()
    let context = try store.newContext()
    let topic = try context.insert(Topic.self) { $0.name = "edited" }
    try context.save()
    var number = 0
    while !progress.withLock({ $0.isDone }) {
      number += 1
      topic.name = "edited \(number)"
      let save = try seconds { try context.save() } * 1_000
      let read = try seconds { _ = try context.count(FetchRequest<Topic>()) } * 1_000
      progress.withLock {
        $0.longest.save = max($0.longest.save, save)
        $0.longest.read = max($0.longest.read, read)
      }
      usleep(5_000)
    }
  }
}
