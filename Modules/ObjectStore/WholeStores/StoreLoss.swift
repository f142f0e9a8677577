/// Something that a store holds and that a copy, a listing or a migration of it would not have.
public struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// Where it stands: a table, a column, or a relationship.
  public let place: String
  /// What it is and why it cannot be taken along.
  public let reason: String
  /// How many values, rows or links it is.
  public let count: Int

  init(_ place: String, _ count: Int, _ reason: String) {
    self.place = place
    self.count = count
    self.reason = reason
  }

  /// One line for a log or a terminal.
  public var description: String { "\(place): \(count) \(reason)" }
}
