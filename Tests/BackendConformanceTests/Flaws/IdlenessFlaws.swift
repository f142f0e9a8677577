import BackendConformance
import Locking
import SyncProtocol

extension Flaw {
  static let spell = "a watcher is told of what comes after a spell in which nothing changed"
  static let givenUpBefore = "a watcher is told whatever streams were given up before and beside it"
  /// What these errors take for idleness. Other laws of watchers may be as slow on a busy machine.
  private static let limit = Duration.milliseconds(600)

  static let idleness =
    [
      idle("a stream falls silent after a spell in which nothing changed") { spells, _, _ in
        spells == 0 ? .tell : .keepSilent
      },
      idle("a stream ends after a spell in which nothing changed") { spells, _, _ in
        spells == 0 ? .tell : .end
      },
      idle("a stream survives one spell in which nothing changed, and no other") { spells, _, _ in
        spells < 2 ? .tell : .keepSilent
      },
      idle("a stream wakes up for one change after a spell in which nothing changed") { spells, since, _ in
        spells == 0 || since == 0 ? .tell : .keepSilent
      },
      idle("a stream that has told nothing yet is forgotten in a spell in which nothing changed") {
        spells, since, all in
        spells == 0 || since != all ? .tell : .keepSilent
      },
      idle("what wakes a stream up is not told itself") { spells, since, _ in
        spells > 0 && since == 0 ? .keepSilent : .tell
      },
    ] + [onlyFirst] + resubscribing

  private enum Deed { case tell, keepSilent, end }

  /// Streams that do otherwise once nothing has changed for a while.
  ///
  /// - Parameter decide: what becomes of a change, by the number of spells in which nothing had changed, and that of changes before
  ///   it, since the last spell and in all.
  private static func idle(
    _ description: String,
    _ decide: @escaping @Sendable (_ spells: Int, _ since: Int, _ all: Int) -> Deed
  ) -> Flaw {
    var flaw = Flaw(description, breaks: spell) { memory in
      { client in
        client.onChanges = { folder in
          guard let changes = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          let start = ContinuousClock.now
          let reader = Task {
            var (last, spells, since, all) = (start, 0, 0, 0)
            for await _ in changes {
              if .now - last > limit { (spells, since) = (spells + 1, 0) }
              last = .now
              switch decide(spells, since, all) {
              case .tell: told.yield()
              case .keepSilent: break
              case .end: told.finish()
              }
              since += 1
              all += 1
            }
          }
          told.onTermination = { _ in reader.cancel() }
          return stream
        }
      }
    }.breakingAllOfWatchers
    flaw.idleness = limit * 2
    flaw.patience = .seconds(2)
    return flaw.breaking(also: givenUp)
  }

  /// Whoever is told once is told by laws of one change, too.
  private static var onlyFirst: Flaw {
    var flaw = Flaw("only the first change is told", breaks: toldLaw) { memory in
      { client in
        client.onChanges = { folder in
          guard let changes = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          let reader = Task {
            for await _ in changes {
              told.yield()
              break
            }
            try? await Task.sleep(for: .seconds(86_400))
          }
          told.onTermination = { _ in reader.cancel() }
          return stream
        }
      }
    }.breakingAllOfWatchers
    flaw.patience = .milliseconds(500)
    return flaw
  }

  private static let resubscribing = [
    counting("whoever has given up a stream gets no other that tells anything") { given, _, _ in given > 0 },
    counting("streams live on the oldest of their folder") { _, terminated, number in
      terminated.contains { $0 < number }
    },
  ].map { flaw in
    var flaw = flaw
    flaw.patience = .milliseconds(500)
    return flaw
  }

  /// Clients whose streams do without others badly.
  ///
  /// - Parameter isSilent: by how many streams of the folder had been given up when one began, which of them were given up since, and
  ///   its own number.
  private static func counting(
    _ description: String,
    _ isSilent: @escaping @Sendable (_ given: Int, _ since: Set<Int>, _ number: Int) -> Bool
  ) -> Flaw {
    Flaw(description, breaks: givenUpBefore) { memory in
      { client in
        let streams = Locked<[RemotePath: (number: Int, given: Set<Int>)]>([:])
        client.onChanges = { folder in
          guard let changes = memory.changes(below: folder) else { return nil }
          let (stream, told) = AsyncStream.makeStream(of: Void.self)
          let (number, before) = streams.withLock { streams in
            streams[folder, default: (0, [])].number += 1
            return streams[folder] ?? (0, [])
          }
          let reader = Task {
            for await _ in changes {
              let given = streams.withLock { $0[folder]?.given ?? [] }
              if !isSilent(before.count, given.subtracting(before), number) { told.yield() }
            }
          }
          told.onTermination = { _ in
            reader.cancel()
            streams.withLock { _ = $0[folder]?.given.insert(number) }
          }
          return stream
        }
      }
    }.breakingAllOfWatchers
  }
}
