import SyncProtocol

/// Finds out why a request about an entry failed, where the status alone does not tell: servers answer 403, 404, 409 or 500
/// when a folder is missing, and many things when a folder lies where a file should be.
struct Diagnosis: Sendable {
  /// What was to be done with the entry.
  enum Purpose: Sendable {
    /// Read, examine, list or remove it.
    case using
    /// Write it, whether there is one or not.
    case replacing
    /// Write it if there is none.
    case creating
  }

  enum Step: Equatable {
    case look(RemotePath)
    case verdict(BackendError)
    /// What the server said is missing lies there. Somebody has made it in between, or the server has a reason of its own,
    /// which is the error.
    case appeared(BackendError)
  }

  private enum Question { case entry, folder, root }
  private let path: RemotePath
  private let purpose: Purpose
  private let failure: Failure
  private var question: Question

  /// - Parameter isAbsent: whether it is known that nothing lies there.
  init(_ path: RemotePath, _ purpose: Purpose, _ failure: Failure, isAbsent: Bool = false) {
    self.path = path
    self.purpose = purpose
    self.failure = failure
    question = isAbsent ? (purpose == .using ? .root : .folder) : .entry
  }

  func start() -> Step { .look(subject) }

  private var subject: RemotePath {
    switch question {
    case .entry: path
    case .folder: path.parent ?? .root
    case .root: .root
    }
  }

  mutating func next(_ reply: DAVReply) -> Step {
    guard case .found(let kind) = reply else {
      return verdict(reply.failure ?? failure)
    }
    if let kind {
      let error = Failure(existing(kind), failure.detail, remedy(kind)).error(at: path)
      return error.code == .failed && isAboutAbsence ? .appeared(error) : .verdict(error)
    }
    guard subject != .root else {
      return verdict(.noRoot)
    }
    question = question == .entry && purpose != .using ? .folder : .root
    return .look(subject)
  }

  private func existing(_ kind: RemoteEntry.Kind) -> BackendError.Code {
    switch (question, kind) {
    case (.entry, _) where purpose == .creating: .alreadyExists
    case (.entry, .folder): path == .root ? failure.code : .isADirectory
    // What is missing is there, or the folder is there and nothing is in the way: the server has a reason of its own.
    case (.entry, .file), (.folder, .folder): isAboutAbsence ? .failed : failure.code
    case (.folder, .file): .notADirectory
    case (.root, .folder): .notFound
    case (.root, .file): .unreachable
    }
  }

  private func remedy(_ kind: RemoteEntry.Kind) -> Remedy? {
    switch existing(kind) {
    case failure.code: failure.remedy
    case .failed: .expectSense
    default: nil
    }
  }

  private var isAboutAbsence: Bool { failure.code == .notFound || failure.code == .alreadyExists }

  private func verdict(_ failure: Failure) -> Step { .verdict(failure.error(at: path)) }
}
