import ChangeTracking

/// Insertions that one author says twice though nobody has deleted the object: what adds up would count twice, for everybody alike, so that no
/// comparison of devices notices.
struct RepeatedInsertions {
  private struct Insertions {
    var count: [AuthorID: Int] = [:]
    var entities: Set<String> = []
    var isDeleted = false
  }

  private var objects: [SyncID: Insertions] = [:]

  /// - Parameter sets: all that was ever pushed.
  init(_ sets: [ChangeSet]) {
    // Copies of a store go on as one author, and each says what it has.
    let branched = Dictionary(grouping: sets, by: \.author).filter { _, sets in
      Set(sets.map(\.sequence)).count < sets.count
    }
    for set in sets {
      for change in set.changes {
        switch change.action {
        case .insert:
          if branched[set.author] == nil {
            objects[change.object, default: .init()].count[set.author, default: 0] += 1
          }
          // Objects of several entities may bear one identifier.
          objects[change.object, default: .init()].entities.insert(set[change.entity]?.name ?? "")
        case .delete: objects[change.object, default: .init()].isDeleted = true
        default: continue
        }
      }
    }
  }

  /// A line for each of them.
  var lines: [String] {
    objects.filter { !$1.isDeleted && $1.entities.count == 1 }.flatMap { object, insertions in
      insertions.count.filter { $1 > 1 }.map { author, count in
        "\(author) says \(count) times that \(object) was inserted"
      }
    }.sorted()
  }
}
