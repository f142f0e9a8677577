import ChangeTracking
import SyncProtocol

/// One change that a repair makes on a remote.
public struct RepairAction: Hashable, Sendable {
  /// What is done at its place.
  public enum Change: Hashable, Sendable {
    /// What lies there goes to the quarantine, a folder with all that is in it.
    case putAside
    /// A file is written, unless something lies there.
    case write(Content)
    /// A folder is made.
    case makeFolder
  }

  /// What a file that is written holds.
  public enum Content: Hashable, Sendable {
    /// What the protocol says that it holds; nothing if its name says all.
    case bytes([UInt8])
    /// What another file of this remote holds.
    case copy(of: RemotePath)
    /// What lies under the same name on another copy of the remote.
    case fromOther
    /// What was made for this plan, in a file on this device that is there as long as the plan.
    case made(file: String)
  }

  /// Where.
  public let path: RemotePath
  /// What.
  public let change: Change
  /// Why, in one sentence.
  public let reason: String
}

/// What can be done about what a verification found.
public struct RepairPlan: Sendable {
  /// The changes, in their order.
  public internal(set) var actions: [RepairAction] = []
  /// What no change deals with: devices put it right, or a person decides.
  public internal(set) var left: [Finding] = []
  /// What a person should know beside it, each a sentence: what is missing, what stood in the way.
  public internal(set) var notes: [String] = []
  /// Files of keys that could not be had, or not twice alike: nothing is done in the applications that they lie in.
  public internal(set) var heldUp: [RemotePath] = []
  /// What identifies that which is repaired, for whoever undoes it.
  var facts: [QuarantineLog.Step] = []
  /// What each file held that is put aside or copied, whenever it was read to make the plan.
  var readings: [RemotePath: Set<ContentHash>] = [:]
  /// The keys by which it was made, of each application.
  var keys: [PlannedKeys] = []
  /// Where files were made that the plan writes.
  var scratch: [ScratchFolder] = []

  /// Whether a document is made anew.
  var isRebuild: Bool { facts.contains { $0.kind == .rebuilt } }

  /// Whether devices are asked to send something again.
  public var asksDevices: Bool {
    actions.contains { action in
      guard action.change == .write(.bytes([])),
        case .request = FileRole(path: action.path.names, kind: .file)
      else { return false }
      return true
    }
  }
}
