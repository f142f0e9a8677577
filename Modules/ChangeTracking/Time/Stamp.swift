/// The instant of a hybrid logical clock: 48 bits of milliseconds since 1970 and 16 bits of counter.
///
/// See Kulkarni et al., "Logical Physical Clocks", 2014.
public struct LogicalTime: Hashable, Comparable, Sendable {
  /// Milliseconds in the upper 48 bits, counter in the lower 16.
  public let bits: UInt64

  /// Wraps the packed form.
  public init(bits: UInt64) { self.bits = bits }

  /// The first instant at a millisecond of the wall clock, clamped to 48 bits.
  public init(milliseconds: UInt64) { bits = min(milliseconds, (1 << 48) - 1) << 16 }

  /// Milliseconds since 1970.
  public var milliseconds: UInt64 { bits >> 16 }

  /// Before every change.
  public static let zero = LogicalTime(bits: 0)

  /// Times that changes may bear: until the year 6429. Later ones are left out by everybody, so that they need not be
  /// overtaken, which nothing could do.
  public static let valid = zero..<LogicalTime(milliseconds: 1 << 47)

  /// The last time that a change may bear.
  static let latest = LogicalTime(bits: valid.upperBound.bits - 1)

  /// The instant right after this one.
  var next: LogicalTime { LogicalTime(bits: bits &+ 1) }

  /// Orders by time, then counter.
  public static func < (left: LogicalTime, right: LogicalTime) -> Bool { left.bits < right.bits }
}

/// Orders the changes of all authors: by logical time, then by author.
///
/// An author never uses a stamp twice for one register, so two different changes of a register never tie unless two
/// copies of one store went on as the same author; such ties are ordered by value (`AttributeValue.precedes`).
public struct Stamp: Hashable, Comparable, Sendable {
  /// When.
  public var time: LogicalTime
  /// By whom.
  public var author: AuthorID

  /// Combines time and author.
  public init(time: LogicalTime, author: AuthorID) {
    self.time = time
    self.author = author
  }

  /// Before every change.
  public static let zero = Stamp(time: .zero, author: AuthorID(bits: 0))

  /// Orders by time, then author.
  public static func < (left: Stamp, right: Stamp) -> Bool {
    left.time == right.time ? left.author < right.author : left.time < right.time
  }
}
