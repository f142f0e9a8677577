import CommandLineTool
import SyncProtocol

extension ToolFailure {
  /// Returns the exit status and the sentence for a failure of the storage.
  ///
  /// - Parameter remote: the remote as a person named it.
  public init(_ error: BackendError, remote: String) {
    let place = error.path == .root ? "the remote “\(remote)”" : "“\(error.path)” on the remote “\(remote)”"
    let isRoot = error.path == .root
    switch error.code {
    case .unreachable:
      self.init(.remoteUnavailable, "\(place) cannot be reached", advice: "check that the folder exists")
    case .notADirectory where isRoot:
      self.init(.remoteUnavailable, "\(place) is a file", advice: "name a folder")
    case .notFound where isRoot:
      self.init(.remoteUnavailable, "\(place) does not exist", advice: "check the folder's name")
    case .notFound: self.init(.notFound, "\(place) does not exist", advice: "wait until it is delivered")
    case .forbidden, .unauthorised:
      self.init(.forbidden, "\(place) may not be read or written", advice: "check its owner and permissions")
    case .quotaExceeded:
      self.init(.full, "\(place) could not be written because no room is left", advice: "free some space")
    case .locked, .rateLimited: self.init(.busy, "\(place) is in use", advice: "try again later")
    case .damaged, .tooLarge, .notADirectory, .isADirectory:
      self.init(.damaged, "\(place) is not what it should be", advice: "“ticds-inspect verify” tells more")
    case .cancelled: self.init(.interrupted, "cancelled")
    default: self.init(.unexpected, "\(place) failed: \(error.detail)")
    }
  }
}
