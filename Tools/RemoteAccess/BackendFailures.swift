import CommandLineTool
import SyncProtocol
import WebDAVBackend

extension ToolFailure {
  /// Returns the exit status and the sentence for a failure of the storage: what happened, to what, with the storage's own words, and
  /// what to do.
  ///
  /// - Parameters:
  ///   - error: the failure.
  ///   - remote: the remote as a person named it.
  ///   - isInspecting: whether it is the inspector that failed, which then is nothing to turn to.
  public init(_ error: BackendError, remote: String, isInspecting: Bool = false) {
    if error.code == .localFile {
      self.init(local: error)
      return
    }
    let isRoot = error.path == .root
    let place = isRoot ? "the remote “\(remote)”" : "“\(error.path)” on the remote “\(remote)”"
    if let remedy = Remedy(rawValue: error.recovery) {
      let words = RemedyWording(remedy, detail: error.detail)
      let subject = words.isAboutServer ? "the remote “\(remote)”" : place
      self.init(words.status, "\(subject) \(words.what)", advice: words.advice)
      return
    }
    let detail = error.detail.isEmpty ? "" : " (\(Wording.clause(error.detail)))"
    func failure(_ status: ToolStatus, _ what: String, _ advice: String) -> ToolFailure {
      ToolFailure(status, "\(place) \(what)\(detail)", advice: advice)
    }
    let recovery = Wording.clause(error.recovery)
    switch error.code {
    case .unreachable:
      self = failure(.remoteUnavailable, "cannot be reached", "check that the folder exists")
    case .notADirectory where isRoot: self = failure(.remoteUnavailable, "is a file", "name a folder")
    case .notFound where isRoot:
      self = failure(.remoteUnavailable, "does not exist", "check the folder's name")
    case .notFound: self = failure(.notFound, "does not exist", "wait until it is delivered")
    case .forbidden:
      // Permissions are what it is about unless the storage knows better.
      let isKnown = error.recovery != BackendError(.forbidden, path: error.path).recovery
      self = failure(
        .forbidden, "may not be read or written", isKnown ? recovery : "check its owner and permissions")
    case .unauthorised: self = failure(.forbidden, "refuses the user name and the password", recovery)
    case .quotaExceeded:
      self = failure(.full, "could not be written because no room is left", "free some space")
    case .locked: self = failure(.busy, "is in use", "try again later")
    case .rateLimited: self = failure(.busy, "asks for fewer requests", "try again later")
    case .damaged, .tooLarge, .notADirectory, .isADirectory:
      self = failure(
        .damaged, "is not what it should be",
        isInspecting
          ? "wait until the storage has delivered everything; if it stays so, look at it with another program"
          : "“ticds-inspect verify” tells more")
    case .cancelled: self.init(.interrupted, "cancelled")
    case .unsupported: self = failure(.unsupported, "cannot be used so", recovery)
    case .contradictory: self = failure(.remoteUnavailable, "does not stay as it was written", recovery)
    case .alreadyExists:
      self = failure(
        .remoteUnavailable, "is there already, as the storage says, though it showed nothing there",
        "try again later; if it stays so, look with another program what lies there")
    default: self = failure(.unexpected, "failed", recovery)
    }
  }

  /// It is this device that fails, and not the remote.
  private init(local error: BackendError) {
    let number = error.systemError ?? 0
    // Where the system has said no more than that it cannot be used.
    let otherwise = number == 0 ? ToolStatus.forbidden : .damaged
    self.init(
      ToolStatus(systemError: number) ?? otherwise,
      "a file on this device could not be read or written: \(Wording.clause(error.detail))",
      advice: Self.advice(systemError: number) ?? Wording.clause(error.recovery))
  }
}
