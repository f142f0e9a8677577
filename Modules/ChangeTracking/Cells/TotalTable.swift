import ObjectStore
import TICDSSQLite

/// What contributions show together, where there are many: so that one more costs the same however many there are.
///
/// A total is derived from contributions, and kept only as long as it is what they give in their order: one that does not come last
/// ends it, unless their order does not matter.
struct TotalTable {
  /// Contributions from which on a total is kept.
  static let threshold = 32

  private struct Total {
    var fold: Fold
    /// What the fold begins with.
    var start: [UInt8]
    /// The contribution that comes last, of a sum.
    var last: Contribution
    var value: AttributeValue
  }

  private let connection: Connection
  private let authors: AuthorTable
  private let selection: Statement
  private let replacement: Statement
  private let removal: Statement

  init(connection: Connection, authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    selection = try connection.cached(
      "SELECT start, time, author, value, total FROM TICDS_TOTAL WHERE object = ? AND bit = ?")
    replacement = try connection.cached("INSERT OR REPLACE INTO TICDS_TOTAL VALUES (?, ?, ?, ?, ?, ?, ?)")
    removal = try connection.cached("DELETE FROM TICDS_TOTAL WHERE object = ? AND bit = ?")
  }

  /// What a start and all contributions give, if it is kept.
  func value(of register: RegisterID, by fold: Fold, from start: AttributeValue) throws -> AttributeValue? {
    guard let total = try total(of: register), total.fold.kind == fold.kind, total.start == start.parkedBytes
    else { return nil }
    return total.value
  }

  /// Keeps what a start and all contributions give, of which there are some.
  func keep(
    _ value: AttributeValue, of contributions: [Contribution], to register: RegisterID, by fold: Fold,
    from start: AttributeValue
  ) throws {
    guard let last = contributions.max(by: Fold.precedes),
      fold.kind != .counter || Fold.areSmall(contributions.lazy.map(\.value), from: start)
    else { return }
    try write(Total(fold: fold, start: start.parkedBytes, last: last, value: value), register)
  }

  /// Follows a contribution that has come.
  func add(_ contribution: Contribution, to register: RegisterID) throws {
    guard var total = try total(of: register) else { return }
    let isLast = Fold.precedes(total.last, contribution)
    guard let value = total.fold.adding(contribution.value, to: total.value, isLast: isLast),
      total.fold.kind != .counter || Fold.areSmall([contribution.value])
    else { return try remove(register) }
    if total.fold.kind != .counter, value == total.value { return }
    total.value = value
    if isLast { total.last = contribution }
    try write(total, register)
  }

  /// Follows a contribution that has gone.
  func remove(_ contribution: Contribution, from register: RegisterID) throws {
    guard let total = try total(of: register),
      !total.fold.isKept(total.value, without: contribution.value)
    else { return }
    try remove(register)
  }

  private func remove(_ register: RegisterID) throws {
    try removal.bind(register.object.rawValue, at: 1)
    try removal.bind(Int64(register.bit.rawValue), at: 2)
    try removal.run()
  }

  private func total(of register: RegisterID) throws -> Total? {
    try selection.bind(register.object.rawValue, at: 1)
    try selection.bind(Int64(register.bit.rawValue), at: 2)
    guard try selection.step() else { return nil }
    defer { selection.reset() }
    let start = selection.blob(0)
    // Of a former format; it is computed anew.
    guard let kind = start.first.flatMap(Self.kind) else { return nil }
    guard let last = AttributeValue(parked: selection.blob(3)),
      let value = AttributeValue(parked: selection.blob(4))
    else {
      throw ReplicaError.damagedBookkeeping(
        path: connection.path, "The total of object \(register.object.rawValue) is unreadable.")
    }
    return Total(
      fold: Fold(kind: kind, initial: .null), start: Array(start.dropFirst()),
      last: Contribution(origin: authors.stamp(selection.int64(1), selection.int64(2)), value: last),
      value: value)
  }

  private func write(_ total: Total, _ register: RegisterID) throws {
    try replacement.bind(register.object.rawValue, at: 1)
    try replacement.bind(Int64(register.bit.rawValue), at: 2)
    guard let code = Self.code(of: total.fold.kind) else { return }
    try replacement.bind([code] + total.start, at: 3)
    try replacement.bind(Int64(bitPattern: total.last.origin.time.bits), at: 4)
    try replacement.bind(authors.storedNumber(of: total.last.origin.author), at: 5)
    try replacement.bind(total.last.value.parkedBytes, at: 6)
    try replacement.bind(total.value.parkedBytes, at: 7)
    try replacement.run()
  }

  private static func code(of kind: MergeKind) -> UInt8? {
    switch kind {
    case .counter: UInt8(ascii: "+")
    case .greatest: UInt8(ascii: ">")
    case .smallest: UInt8(ascii: "<")
    case .latest, .group: nil
    }
  }

  private static func kind(of code: UInt8) -> MergeKind? {
    [.counter, .greatest, .smallest].first { Self.code(of: $0) == code }
  }
}
