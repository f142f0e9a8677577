import ObjectStore

@testable import ChangeTracking

/// The merge rules written as plainly as possible: dictionaries of cells, no database, nothing incremental.
struct ReferenceMerge {
  struct Object: Hashable {
    var entity: String
    var syncID: SyncID
  }

  struct Cell: Hashable {
    var object: Object
    var key: String
  }

  struct Pair: Hashable {
    var team: SyncID
    var person: SyncID
  }

  var inserted: [Object: Stamp] = [:]
  var deleted: [Object: Stamp] = [:]
  var registers: [Cell: (stamp: Stamp, content: Register.Content)] = [:]
  var added: [Pair: Stamp] = [:]
  var removed: [Pair: Stamp] = [:]

  init(_ sets: some Sequence<ChangeSet>) {
    for set in sets { for change in set.changes { add(change, of: set) } }
  }

  private mutating func add(_ change: Change, of set: ChangeSet) {
    let names = set.entities[change.entity]
    let object = Object(entity: names.name, syncID: change.object)
    let stamp = Stamp(time: change.time, author: set.author)
    func write(_ written: [Register], _ registers: inout [Cell: (stamp: Stamp, content: Register.Content)]) {
      for register in written {
        let cell = Cell(object: object, key: names.properties[register.property].name)
        if let old = registers[cell],
          old.stamp > stamp || (old.stamp == stamp && !old.content.precedes(register.content))
        {
          continue
        }
        registers[cell] = (stamp, register.content)
      }
    }
    switch change.action {
    case .insert(let written):
      inserted[object] = max(inserted[object] ?? .zero, stamp)
      write(written, &registers)
    case .update(let written):
      write(written, &registers)
    case .delete:
      deleted[object] = max(deleted[object] ?? .zero, stamp)
    case .link(_, let target):
      let pair = Pair(team: change.object, person: target)
      added[pair] = max(added[pair] ?? .zero, stamp)
    case .unlink(_, let target):
      let pair = Pair(team: change.object, person: target)
      removed[pair] = max(removed[pair] ?? .zero, stamp)
    }
  }

  private func lives(_ object: Object) -> Bool { (inserted[object] ?? .zero) > (deleted[object] ?? .zero) }

  /// A register's value: what was written last, unless the object was deleted since.
  private func value(_ object: Object, _ key: String) -> Register.Content? {
    guard let register = registers[Cell(object: object, key: key)],
      register.stamp > (deleted[object] ?? .zero)
    else {
      return nil
    }
    return register.content
  }

  private func target(_ object: Object, _ key: String) -> SyncID? {
    guard case .target(let target?)? = value(object, key), lives(Object(entity: "Person", syncID: target))
    else {
      return nil
    }
    guard key == "partner" else { return target }
    // Of several claims on one partner, the latest shows.
    let claims = inserted.keys.filter { other in
      guard lives(other), case .target(target)? = value(other, key) else { return false }
      return true
    }
    let latest = claims.max {
      (registers[Cell(object: $0, key: key)]?.stamp ?? .zero)
        < (registers[Cell(object: $1, key: key)]?.stamp ?? .zero)
    }
    return latest == object ? target : nil
  }

  /// In the form of ``PlainStore/contents()``.
  var contents: String {
    func quoted(_ content: Register.Content?) -> String {
      switch content {
      case .value(.string(let text))?: "'\(text)'"
      case .value(.integer(let number))?: "\(number)"
      default: "NULL"
      }
    }
    var lines: [String] = []
    for object in inserted.keys where lives(object) {
      if object.entity == "Person" {
        lines.append(
          "person \(object.syncID) \(quoted(value(object, "name"))) \(quoted(value(object, "age"))) boss "
            + "\(target(object, "boss")?.string ?? "-") partner \(target(object, "partner")?.string ?? "-")")
      } else {
        lines.append("team \(object.syncID) \(quoted(value(object, "title")))")
      }
    }
    for (pair, stamp) in added {
      let team = Object(entity: "Team", syncID: pair.team)
      if stamp > (removed[pair] ?? .zero), stamp > (deleted[team] ?? .zero), lives(team),
        lives(Object(entity: "Person", syncID: pair.person))
      {
        lines.append("member \(pair.team) \(pair.person)")
      }
    }
    return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n")
  }
}
