/// How live results changed at one time: what a list on a screen needs to follow without being made anew.
///
/// Positions of what went are those before, positions of what came are those after, all other changes included. So a list is
/// brought up to date by removing the rows of ``deleted`` and the beginnings of ``moved`` from the last to the first, then
/// ``deletedSections`` from the last to the first; then by inserting ``insertedSections`` from the first to the last, then
/// the rows of ``inserted`` and the ends of ``moved`` from the first to the last. Rows of sections that go or come are
/// listed too.
public struct LiveChanges: Sendable, Hashable {
  /// The place of a row.
  public struct Position: Sendable, Hashable, Comparable {
    /// The section, from 0.
    public let section: Int
    /// The row in its section, from 0.
    public let row: Int

    /// Names a place.
    public init(section: Int, row: Int) {
      self.section = section
      self.row = row
    }

    /// In the order of sections and rows.
    public static func < (left: Position, right: Position) -> Bool {
      (left.section, left.row) < (right.section, right.row)
    }
  }

  /// A row that went or came.
  public struct Row: Sendable, Hashable {
    /// Where it was, or is.
    public let position: Position
    /// The object.
    public let objectID: ObjectID
  }

  /// A row that was there before and is there after.
  public struct Move: Sendable, Hashable {
    /// Where it was.
    public let from: Position
    /// Where it is.
    public let to: Position
    /// The object.
    public let objectID: ObjectID
  }

  /// Sections that went, by their numbers before, ascending.
  public internal(set) var deletedSections: [Int] = []
  /// Sections that came, by their numbers after, ascending.
  public internal(set) var insertedSections: [Int] = []
  /// Rows that went, ascending.
  public internal(set) var deleted: [Row] = []
  /// Rows that came, ascending.
  public internal(set) var inserted: [Row] = []
  /// Rows that are elsewhere among those that stayed, in the order of their ends. Their values may have changed too.
  public internal(set) var moved: [Move] = []
  /// Rows of which values changed and that stayed where they were among those that stayed, in order.
  public internal(set) var updated: [Move] = []

  /// Whether nothing changed.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }
}
