import Foundation
import SyncProtocol

/// Why a repair ended. What was done until then can be undone.
public enum RepairError: Error, Sendable {
  /// The remote failed.
  case storage(BackendError)
  /// The quarantine cannot be used. The system's number (`errno`), where it is known, tells whether the disk is full.
  case quarantine(path: String, reason: String, systemError: Int32? = nil)
  /// Something cannot be copied, and so it was not removed.
  case cannotBeKept(String)
  /// A file shows other bytes than when it was judged, and so it was not removed.
  case unsteady(String)
  /// The quarantine was made by another version of this program, which is needed to undo the repair.
  case otherVersion(path: String)
  /// Nothing lies here any more of what was repaired, which these folders held. Nothing was undone.
  case anotherRemote([RemotePath])
  /// Devices have merged what a repair has made anew. Nothing was undone.
  case builtOn([LaterWriter])

  /// The failure of a file in the quarantine.
  init(quarantine path: String, _ error: any Error) {
    if error is CancellationError {
      self = .storage(BackendError(.cancelled, path: .root))
      return
    }
    self = .quarantine(
      path: path, reason: error.localizedDescription, systemError: (error as? CocoaError)?.systemError)
  }

  /// Why one change could not be made, if others can all the same.
  var reasonOfOne: String? {
    switch self {
    case .storage(let failure): failure.isAboutOneFile ? failure.description : nil
    case .quarantine, .otherVersion, .anotherRemote, .builtOn: nil
    case .cannotBeKept(let reason), .unsteady(let reason): reason
    }
  }
}

/// A change that could not be made, while others were.
public struct RepairFailure: Sendable {
  /// What was to be done.
  public let action: RepairAction
  /// What stood in its way, in one sentence.
  public let reason: String
  /// The failure of the storage, if it was one.
  public let failure: BackendError?
}
