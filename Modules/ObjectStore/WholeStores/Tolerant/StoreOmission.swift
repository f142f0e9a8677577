import TICDSSQLite

/// Something that a ``TolerantStore`` leaves out, or found wrong.
public struct StoreOmission: Hashable, Sendable, CustomStringConvertible {
  /// Where it is: an entity, a property, a table or the file.
  public let place: String
  /// What is left out and why.
  public let reason: String
  /// How many objects or values it concerns; `nil` where that is not known.
  public let count: Int?

  /// One line for a log or a terminal.
  public var description: String { "\(place): \(count.map { "\($0) " } ?? "")\(reason)" }
}

/// What was left out, each thing once.
final class OmissionList {
  /// So many are listed one by one: a damaged file must not fill memory.
  static let most = 2_000

  private struct Key: Hashable {
    let place, reason: String
  }

  private var order: [Key] = []
  private var counts: [Key: Int] = [:]
  private var unlisted = 0

  var omissions: [StoreOmission] {
    let listed = order.map { key in
      StoreOmission(place: key.place, reason: key.reason, count: counts[key].flatMap { $0 > 0 ? $0 : nil })
    }
    return unlisted == 0
      ? listed : listed + [StoreOmission(place: "the file", reason: "further findings", count: unlisted)]
  }

  /// - Parameter count: How many more it concerns; 0 where they are not counted.
  func note(_ place: String, _ reason: String, count: Int = 0) {
    let key = Key(place: place, reason: reason)
    if counts[key] == nil {
      guard order.count < Self.most else { return unlisted += 1 }
      order.append(key)
    }
    counts[key, default: 0] += count
  }

  func note(_ finding: TolerantScan.Finding, in table: String) {
    switch finding {
    case .gap(let gap):
      let end = gap.last.map { " to \($0)" } ?? ""
      note(table, "damaged, nothing with keys from \(gap.first)\(end) is read")
    case .misplaced: note(table, "rows out of order, which are left out", count: 1)
    }
  }
}

extension SQLiteError {
  /// Whether what lies in the file is the cause, so that something else in it may be readable.
  var isDamage: Bool {
    [.corrupt, .notADatabase, .generic, .inputOutput, .tooBig].contains(code)
  }

  /// What SQLite reports where it finds damage itself.
  static func damage(_ connection: Connection) -> SQLiteError {
    SQLiteError(extendedCode: 11, message: "a row is not where it should be", sql: nil, path: connection.path)
  }
}
