import ChangeTracking
import SyncProtocol

/// What of a document nobody needs any more, as far as the remote alone tells.
///
/// Somebody who is no device may remove whole stores that newer ones have taken the place of, and nothing else. A set may go once all
/// devices had time to get it since that was announced, and only a device knows since when, by its own clock, an announcement has lain
/// there: other clocks are not believed, and dates of files are whatever a replicator makes of them. A device also knows branches of a
/// history whose files are gone, which keep sets from being removed; and it is the author of the floor that says why they are gone. Of two
/// heads of an author the older may lead to another branch: that it does not, who has merged what both name knows.
public struct VacuumOutlook: Sendable {
  /// A whole store, and what becomes of it.
  public struct WholeStore: Sendable {
    /// What becomes of a whole store.
    public enum Verdict: Sendable, Equatable {
      /// It is one of the newest that open.
      case kept
      /// Each of those that are kept contains all that it contains.
      case superseded
      /// It contains what one of those that are kept does not.
      case containsMore
      /// There are not as many others as are to be kept.
      case needed
      /// It does not open.
      case damaged(String)
      /// Others come first; who looks again after these are gone gets to it.
      case postponed
    }

    /// What it contains.
    public let name: WholeStoreName
    /// Where it lies.
    public let path: RemotePath
    /// Bytes, where the storage says.
    public let size: Int64?
    /// What becomes of it.
    public internal(set) var verdict: Verdict
  }

  /// Sets of one author that whole stores contain, so that a device may remove them once nobody waits for them.
  public struct Sets: Sendable {
    /// Who made them.
    public let author: AuthorID
    /// How many.
    public let amount: RemoteOverview.Amount
  }

  /// A device that has not merged all that could go.
  public struct Holder: Sendable {
    /// Which.
    public let author: AuthorID
    /// How many sets it lacks of those that could go.
    public let lacks: UInt64
  }

  /// Why no set may go at all.
  public enum Obstacle: Sendable, Equatable {
    /// No whole store lies there that opens.
    case noWholeStore
    /// What a device has is not known, for its head cannot be read.
    case unreadableHead(AuthorID)
    /// Names among the heads were written by nobody who is known here.
    case unknownHeads
    /// What lies in a folder is not known, for it was not listed.
    case unlistedFolder(RemotePath)
  }

  /// The application's identifier.
  public let application: String
  /// The document's identifier.
  public let document: String
  /// The whole stores, the newest first.
  public internal(set) var wholeStores: [WholeStore] = []
  /// The sets that whole stores contain, by author.
  public internal(set) var sets: [Sets] = []
  /// Heads whose author has published a newer one.
  public internal(set) var oldHeads = 0
  /// Sets below which nothing needs to lie there by now, as a device has said.
  public internal(set) var inForce: UInt64 = 0
  /// Sets that a device has announced to be removed.
  public internal(set) var announced: UInt64 = 0
  /// Who holds sets back.
  public internal(set) var holding: [Holder] = []
  /// Who was away for so long that nobody waits any more.
  public internal(set) var absent: [AuthorID] = []
  /// Why no set may go.
  public internal(set) var obstacle: Obstacle?
  /// The device that has most, and pushed last: a vacuum is best run there.
  public internal(set) var advised: AuthorID?
  /// What people call the devices behind authors.
  public internal(set) var names: [AuthorID: String] = [:]

  /// The whole stores that may go now.
  public var removable: [WholeStore] { wholeStores.filter { $0.verdict == .superseded } }
}
