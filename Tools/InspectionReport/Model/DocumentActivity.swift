import ChangeTracking
import Foundation
import Inspection

/// When the sets of a document were made, by author, as the changes in them say.
public struct DocumentActivity: Sendable {
  /// A set by the time of its last change.
  struct Moment: Sendable {
    let milliseconds: UInt64
    let bytes: Int64
  }

  /// The sets of each author.
  var moments: [AuthorID: [Moment]] = [:]
  /// Sets that say times from before this format or from the future, which would press all others into one corner.
  public private(set) var implausible = 0
  /// Sets that cannot be read.
  public private(set) var unreadable = 0

  /// 2001-01-01: no set is older.
  private static let earliest: UInt64 = 978_307_200_000
  /// A clock may be a day fast.
  private static let tolerance = 86_400.0

  mutating func add(_ set: InspectedSet, now: Date) {
    guard case .success(let content) = set.result else {
      unreadable += 1
      return
    }
    guard let time = content.lastTime?.milliseconds else { return }
    let latest = UInt64(max(0, (now.timeIntervalSince1970 + Self.tolerance) * 1_000))
    guard time >= Self.earliest, time <= latest else {
      implausible += 1
      return
    }
    moments[set.author, default: []].append(Moment(milliseconds: time, bytes: max(0, set.size ?? 0)))
  }
}
