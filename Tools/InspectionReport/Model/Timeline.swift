import ChangeTracking
import Foundation
import SyncProtocol
import UntrustedBytes

/// The sets of a document in equal periods: what a chart shows, however many there are.
public struct Timeline: Sendable {
  /// How many periods there are.
  public static let count = 60

  /// What was made within one period.
  public struct Period: Hashable, Sendable {
    /// How many sets.
    public var sets = 0
    /// Bytes in them.
    public var bytes: Int64 = 0
  }

  /// When the first period begins.
  public let start: Date
  /// When the last period ends.
  public let end: Date
  /// The periods of each author.
  public let periods: [AuthorID: [Period]]

  /// Divides the time from the first set to the last; `nil` if there is none.
  public init?(_ activity: DocumentActivity) {
    let times = activity.moments.values.joined().map(\.milliseconds)
    guard let first = times.min(), let last = times.max() else { return nil }
    // All sets at one moment are shown within a minute.
    let span = max(60_000, last - first + 1)
    start = Self.date(first)
    end = Self.date(first + span)
    periods = activity.moments.mapValues { moments in
      var periods = Array(repeating: Period(), count: Self.count)
      for moment in moments {
        let index = Int((moment.milliseconds - first) * UInt64(Self.count) / span)
        periods[index].sets += 1
        periods[index].bytes = periods[index].bytes.saturatingSum(moment.bytes)
      }
      return periods
    }
  }

  /// What all authors made together.
  public var total: [Period] {
    var total = Array(repeating: Period(), count: Self.count)
    for periods in periods.values {
      for (index, period) in periods.enumerated() {
        total[index].sets += period.sets
        total[index].bytes = total[index].bytes.saturatingSum(period.bytes)
      }
    }
    return total
  }

  /// When a period begins.
  public func start(ofPeriod index: Int) -> Date {
    start.addingTimeInterval(end.timeIntervalSince(start) * Double(index) / Double(Self.count))
  }

  private static func date(_ milliseconds: UInt64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }
}
