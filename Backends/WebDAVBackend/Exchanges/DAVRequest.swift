import SyncProtocol

/// A file or folder as a request names it.
struct Target: Hashable, Sendable {
  /// The folder that it lies in; `nil` for the root.
  var folder: RemotePath?
  /// The last segment, not encoded: all characters of names may stand in an address as they are.
  var segment: String
  /// Addresses of folders end with a slash.
  var isFolder: Bool

  init(_ path: RemotePath, isFolder: Bool = false) {
    folder = path.parent
    segment = path.name?.description ?? ""
    self.isFolder = isFolder || path == .root
  }

  /// A file beside another one that nobody else writes.
  init(temporary name: String, beside path: RemotePath) {
    self.init(temporary: name, in: path.parent ?? .root)
  }

  init(temporary name: String, in folder: RemotePath) {
    self.folder = folder
    segment = name
    isFolder = false
  }
}

/// A request in terms of WebDAV, without addresses and bodies.
enum DAVRequest: Hashable, Sendable {
  case put(Target, ifAbsent: Bool = false)
  case move(Target, to: Target, replacing: Bool)
  case makeFolder(RemotePath)
  case delete(Target)
  /// Asks what lies at a path.
  case look(RemotePath)
}

/// What came back.
enum DAVReply: Equatable, Sendable {
  /// The status; in a 207 answer, the first that is a failure.
  case status(Int, retryAfter: Duration? = nil)
  /// What lies there; `nil` if nothing does. Answers ``DAVRequest/look(_:)``.
  case found(RemoteEntry.Kind?)
  /// There was no answer, or none that could be used.
  case failed(Failure)
}

/// What to do next.
enum DAVStep: Equatable, Sendable {
  case send(DAVRequest)
  case finish
  case fail(BackendError)
  /// Removes what is left, even if the task was cancelled, and fails whatever comes of it.
  case clean(Target, BackendError)
}

/// One operation of the back end: a value that says what to send, and is told what came back.
protocol DAVOperation: Sendable {
  mutating func start() -> DAVStep
  mutating func next(_ reply: DAVReply) -> DAVStep
}

extension DAVReply {
  /// What went wrong; `nil` if nothing did.
  var failure: Failure? {
    switch self {
    case .status(let status, let retryAfter):
      (200...299).contains(status) ? nil : Failure(status: status, retryAfter: retryAfter)
    case .found: nil
    case .failed(let failure): failure
    }
  }

  /// Whether servers say this for several reasons, so that one must look for the reason.
  var isAmbiguous: Bool {
    guard case .status(let status, _) = self else { return false }
    return [301, 302, 307, 308, 400, 403, 404, 405, 409, 410, 412, 415, 500, 501].contains(status)
  }
}
