/// A failure of a storage service, expressed by what it means and not by how the service spells it.
///
/// Compare ``code`` with the static members of ``Code``. ``detail`` holds the service's own words for a log; no error
/// carries credentials or content.
public struct BackendError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The meaning of a failure. New meanings may be added: always have a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Meaning: String, Sendable {
      case notFound, alreadyExists, notADirectory, isADirectory, unauthorised, forbidden, quotaExceeded,
        unreachable
      case rateLimited, locked, cancelled, damaged, tooLarge, localFile, unsupported, contradictory, failed
    }
    private let meaning: Meaning

    /// There is no such entry, or the folder that should hold it does not exist.
    public static let notFound = Code(meaning: .notFound)
    /// The name is taken.
    public static let alreadyExists = Code(meaning: .alreadyExists)
    /// A file lies where a folder was expected.
    public static let notADirectory = Code(meaning: .notADirectory)
    /// A folder lies where a file was expected.
    public static let isADirectory = Code(meaning: .isADirectory)
    /// The service does not accept the credentials.
    public static let unauthorised = Code(meaning: .unauthorised)
    /// The credentials are good, but do not permit this.
    public static let forbidden = Code(meaning: .forbidden)
    /// No room is left.
    public static let quotaExceeded = Code(meaning: .quotaExceeded)
    /// The service does not answer, or the folder is not mounted.
    public static let unreachable = Code(meaning: .unreachable)
    /// The service asks for fewer requests; see ``BackendError/retryAfter``.
    public static let rateLimited = Code(meaning: .rateLimited)
    /// Somebody else holds a lock on the entry.
    public static let locked = Code(meaning: .locked)
    /// The calling task was cancelled.
    public static let cancelled = Code(meaning: .cancelled)
    /// The service delivered less than, or something else than, what it holds.
    public static let damaged = Code(meaning: .damaged)
    /// The file is larger than the caller's limit.
    public static let tooLarge = Code(meaning: .tooLarge)
    /// The file on this device could not be read or written.
    public static let localFile = Code(meaning: .localFile)
    /// The service cannot do this.
    public static let unsupported = Code(meaning: .unsupported)
    /// The service has confirmed what it then does not show.
    public static let contradictory = Code(meaning: .contradictory)
    /// Anything else.
    public static let failed = Code(meaning: .failed)

    /// The name of the static member.
    public var description: String { meaning.rawValue }

    /// Whether the same request may well succeed a little later.
    public var isTransient: Bool {
      switch meaning {
      case .unreachable, .rateLimited, .locked, .damaged: true
      default: false
      }
    }
  }

  /// What the failure means.
  public var code: Code
  /// The entry it happened to.
  public var path: RemotePath
  /// The service's own words, for a log.
  public var detail: String
  /// How long the service asks to wait, where it says so.
  public var retryAfter: Duration?
  /// Whether the back end has waited as long as makes sense already, so that asking once more at once would only multiply that.
  public var wasAwaited = false
  /// Whether nothing came within the time that the back end allows, so that each further attempt may take as long.
  public var timedOut = false
  /// The system's number (`errno`) for a file on this device that could not be read or written (``Code/localFile``), where it is known.
  public var systemError: Int32?
  private var advice: String?

  /// Describes a failure.
  ///
  /// - Parameters:
  ///   - code: what kind of failure it is.
  ///   - path: the entry that the request was about.
  ///   - detail: what the service or the system said.
  ///   - retryAfter: how long the service asks to wait.
  ///   - recovery: what a person can do, where the back end knows better than ``Code`` does.
  ///   - systemError: the system's number for a file on this device that could not be read or written.
  public init(
    _ code: Code, path: RemotePath, detail: String = "", retryAfter: Duration? = nil, recovery: String? = nil,
    systemError: Int32? = nil
  ) {
    self.code = code
    self.path = path
    self.detail = detail
    self.retryAfter = retryAfter
    self.advice = recovery
    self.systemError = systemError
  }

  /// What a person can do about it.
  public var recovery: String { advice ?? code.recovery }

  /// One line for a log or a terminal.
  public var description: String {
    let place = path == .root ? "the remote's root folder" : "“\(path)” on the remote"
    return "\(place): \(code.sentence)" + (detail.isEmpty ? "" : " (\(detail))")
  }
}
