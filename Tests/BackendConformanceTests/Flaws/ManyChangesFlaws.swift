import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let howeverMany = "a watcher is told however many changes there are, one by one and at once"

  static let manyChanges = [
    telling("a stream falls silent after thirty changes") {
      let told = Locked(0)
      return { _, _ in
        told.withLock { told in
          told += 1
          return told <= 30
        }
      }
    }.breaking(also: toldLaw),
    telling("a stream whose queue runs over falls silent", collecting: .milliseconds(60)) {
      let isOver = Locked(false)
      return { before, now in
        isOver.withLock { isOver in
          if now.count - before.count > 50 { isOver = true }
          return !isOver
        }
      }
    },
    telling("empty files are not told") {
      { before, now in before.filter { !$0.value.isEmpty } != now.filter { !$0.value.isEmpty } }
    }.breaking(also: toldLaw),
  ].map { flaw in
    var flaw = flaw
    flaw.patience = .milliseconds(500)
    return flaw
  }

  private typealias Files = [RemotePath: [UInt8]]

  /// Streams that tell only some of what happens.
  ///
  /// - Parameters:
  ///   - pause: for how long changes are taken together.
  ///   - decide: called for each stream; what it returns decides by the files before and after a change whether to tell it.
  private static func telling(
    _ description: String, collecting pause: Duration = .zero,
    _ decide:
      @escaping @Sendable () -> @Sendable (_ before: Files, _ now: Files) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: howeverMany) { memory in
      { client in
        client.onChanges = { folder in
          guard let all = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          let isTold = decide()
          let start = memory.files
          let reader = Task {
            var before = start
            for await _ in all {
              var now = memory.files
              // Until nothing more has come for a while.
              while pause > .zero {
                try? await Task.sleep(for: pause)
                let later = memory.files
                if later == now { break }
                now = later
              }
              if isTold(before, now) { told.yield() }
              before = now
            }
          }
          told.onTermination = { _ in reader.cancel() }
          return stream
        }
      }
    }
  }
}
