import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  private static let listed = "a listing that is cancelled in the middle comes back whole, or not at all"
  private static let moved = "a move that is cancelled in the middle moves all of a folder, or nothing"
  private static let removed =
    "a removal that is cancelled in the middle says so, and a repeated one completes it"

  static let interruption = [
    Flaw("a listing ends where it is cancelled", breaks: listed) { memory in
      let listed = Locked<Set<RemotePath>>([])
      return { client in
        client.onList = { (path) async throws(BackendError) in
          var listing = try await memory.list(path)
          // The first time, it is fast.
          guard path.description == "interrupted", listed.withLock({ !$0.insert(path).inserted }) else {
            return listing
          }
          await cancellation()
          listing.entries = Array(listing.entries.prefix(10))
          return listing
        }
      }
    },
    lackingPatience("a folder moves file by file, until it is cancelled", breaks: moved) { memory in
      { client in
        client.onMove = { (source, destination) async throws(BackendError) in
          guard isSlow(source) else { return try await memory.move(source, to: destination) }
          try await memory.makeDirectory(destination)
          for path in memory.files(below: source).keys.prefix(10) {
            if let name = path.name { try await memory.move(path, to: destination.appending(name)) }
          }
          await cancellation()
          throw BackendError(.cancelled, path: source)
        }
      }
    },
    lackingPatience("a removal that was cancelled says that it is done", breaks: removed) { memory in
      let begun = Locked<Set<RemotePath>>([])
      return { client in
        client.onRemove = { (path) async throws(BackendError) in
          guard isSlow(path), begun.withLock({ $0.insert(path).inserted }) else {
            return try await memory.remove(path)
          }
          for file in memory.files(below: path).keys.prefix(10) { try await memory.remove(file) }
          await cancellation()
        }
      }
    },
    lackingPatience("what a cancelled removal left stays locked", breaks: removed) { memory in
      let begun = Locked<Set<RemotePath>>([])
      return { client in
        client.onRemove = { (path) async throws(BackendError) in
          guard isSlow(path) else { return try await memory.remove(path) }
          guard begun.withLock({ $0.insert(path).inserted }) else {
            throw BackendError(.locked, path: path)
          }
          for file in memory.files(below: path).keys.prefix(10) { try await memory.remove(file) }
          await cancellation()
          throw BackendError(.cancelled, path: path)
        }
      }
    },
  ]

  private static func lackingPatience(
    _ description: String, breaks law: String,
    _ plant: @escaping @Sendable (MemoryBackend) -> @Sendable (inout Variation) -> Void
  ) -> Flaw {
    var flaw = Flaw(description, breaks: law, plant)
    flaw.patience = .milliseconds(200)
    return flaw
  }

  /// Whether storage takes its time with a folder, so that whoever cancels a request always meets the middle of it.
  private static func isSlow(_ path: RemotePath) -> Bool {
    path.names.count == 1 && path.description.hasPrefix("interrupted")
  }

  /// Waits until the calling task is cancelled.
  private static func cancellation() async { while !Task.isCancelled { await pause() } }
}
