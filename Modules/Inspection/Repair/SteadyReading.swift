import ChangeTracking
import SyncProtocol

/// Decides whether one more reading of a file is what lies there, so that it may stand for the file. A value without I/O.
///
/// A bad cable, a bad memory or a bad server shows a sound file damaged once, and a damaged one damaged otherwise. What is taken away is
/// kept by one reading alone, and what was judged was another: both must be of the same bytes.
struct SteadyReading {
  /// What is done with a reading.
  enum Verdict: Equatable {
    /// It is what lies there.
    case take
    /// Another reading is to tell.
    case readAgain
    /// The file is what its name says, and nothing is done to it.
    case sound
    /// No two readings agree, or not with what was judged.
    case unsteady
  }

  /// Readings of a file, at most.
  private static let limit = 4

  /// The hash that the name tells of a file's bytes; `nil` if it tells none.
  private let named: ContentHash?
  /// What the file held whenever it was judged; nothing if something else than its content was.
  private let judged: Set<ContentHash>
  /// What it held last; `nil` if nothing was read yet, or not the same each time.
  private var last: ContentHash?
  private var seen: Set<ContentHash>
  private var count = 0

  init(of path: RemotePath, judged: Set<ContentHash>) {
    self.judged = judged
    seen = judged
    last = judged.count == 1 ? judged.first : nil
    named =
      switch FileRole(path: path.names, kind: .file) {
      case .set(let name, _): name.hash
      case .wholeStore(let name): name.hash
      default: nil
      }
  }

  /// Judges a reading of a file that is to be taken away.
  ///
  /// - Parameter mayBeSound: whether it is to be taken away although its content was not read.
  mutating func removing(_ hash: ContentHash, mayBeSound: Bool) -> Verdict {
    let isSteady = note(hash)
    if isSteady, count == 1 { return .take }
    if let named, seen.contains(named), !(judged.isEmpty && mayBeSound) {
      // One that was judged by sound bytes is of no use although they are whole.
      return judged == [named] ? .unsteady : .sound
    }
    // Of one that was judged and whose name tells nothing, nothing tells which of the readings is the bad one.
    guard judged.isEmpty || named != nil else { return .unsteady }
    return isSteady ? .take : count < Self.limit ? .readAgain : .unsteady
  }

  /// Judges a reading of a file whose content is to be written elsewhere.
  mutating func copying(_ hash: ContentHash) -> Verdict {
    let isSteady = note(hash)
    return isSteady || hash == named ? .take : count < Self.limit ? .readAgain : .unsteady
  }

  /// - Returns: whether it is as the reading before it. That it is as an earlier one says nothing where every other reading is bad in the
  ///   same way.
  private mutating func note(_ hash: ContentHash) -> Bool {
    count += 1
    seen.insert(hash)
    defer { last = hash }
    return last == hash
  }
}
