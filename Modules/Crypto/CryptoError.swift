import TICDSOpenSSL

/// A failure to seal, open, lock or unlock. It never carries a key, a password or a plaintext.
public struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, stable for use in output of tools.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The bytes do not begin as this format does.
    public static let unrecognizedFormat = Code("unrecognizedFormat")
    /// The format is known, but written by a later version.
    public static let unsupportedVersion = Code("unsupportedVersion")
    /// The bytes end before the format permits.
    public static let truncated = Code("truncated")
    /// The bytes contradict the format, or were changed.
    public static let damaged = Code("damaged")
    /// Content, key and context do not belong together: tampered with, exchanged, cut or extended.
    public static let authenticationFailed = Code("authenticationFailed")
    /// None of the keys at hand has the identifier that the container names.
    public static let unknownKey = Code("unknownKey")
    /// The file is sound, but no slot opens with this password or recovery code.
    public static let wrongPassword = Code("wrongPassword")
    /// The password is empty or too long to be used.
    public static let invalidPassword = Code("invalidPassword")
    /// The text is no recovery code; it was mistyped.
    public static let invalidRecoveryCode = Code("invalidRecoveryCode")
    /// The key file has no slot with this identifier.
    public static let unknownSlot = Code("unknownSlot")
    /// The key file's last slot cannot be removed: nobody could open it any more.
    public static let lastSlot = Code("lastSlot")
    /// A limit on size, memory, time or number is exceeded.
    public static let limitExceeded = Code("limitExceeded")
    /// A caller's argument is outside what the format can hold.
    public static let invalidArgument = Code("invalidArgument")
    /// The file system reported a failure.
    public static let fileFailure = Code("fileFailure")
    /// The task was cancelled; no output was left behind.
    public static let cancelled = Code("cancelled")
    /// OpenSSL failed for a reason of its own.
    public static let primitiveFailure = Code("primitiveFailure")
  }

  /// What kind of failure it is.
  public let code: Code
  /// What was found and what was expected.
  public let detail: String
  /// Where in the bytes it was found, if it belongs to a place.
  public let offset: Int?
  /// The file, if one was read or written.
  public internal(set) var path: String?
  /// OpenSSL's failure, if there was one.
  public let underlying: OpenSSLError?
  /// The system's number (`errno`) for a file that could not be read or written (``Code/fileFailure``), where it is known.
  public internal(set) var systemError: Int32?

  /// Describes a failure.
  public init(
    _ code: Code, _ detail: String, offset: Int? = nil, path: String? = nil, underlying: OpenSSLError? = nil
  ) {
    self.code = code
    self.detail = detail
    self.offset = offset
    self.path = path
    self.underlying = underlying
  }

  init(_ error: OpenSSLError) {
    self.init(.primitiveFailure, error.description, underlying: error)
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .unrecognizedFormat: "Check that this is the right file; it may not be encrypted at all."
    case .unsupportedVersion: "Update the application; a newer version wrote this file."
    case .truncated: "Wait until the file has arrived completely, or fetch it again."
    case .damaged: "Fetch the file again or restore it from a copy."
    case .authenticationFailed:
      "Fetch the file again. If it still fails, it was changed or moved by somebody without the key: do not use it."
    case .unknownKey:
      "Unlock the key file that belongs to this data, or ask the device that wrote it for its key."
    case .wrongPassword: "Check keyboard layout and capital letters, then enter the password again."
    case .invalidPassword: "Choose a password with 1 to \(Password.maximumSize) bytes."
    case .invalidRecoveryCode: "Compare the recovery code with what was written down, and enter it again."
    case .unknownSlot: "Read the key file again; the slot may have been removed already."
    case .lastSlot: "Add another password before removing this one."
    case .limitExceeded: "Raise the limit only if the origin of the file is trusted."
    case .invalidArgument: "Correct the argument that the message names."
    case .fileFailure: "Check that the file exists, may be read or written, and that the disk has space left."
    case .cancelled: "Start again when ready; nothing was changed."
    default: "Report the message together with the installed version of OpenSSL."
    }
  }

  /// One line for a log or a terminal.
  public var description: String {
    let file = path.map { "\($0): " } ?? ""
    let place = offset.map { " (offset \($0))" } ?? ""
    return "\(file)\(detail)\(place)"
  }

  func at(path: String) -> CryptoError {
    var error = self
    error.path = path
    return error
  }
}

/// Runs a primitive, passing its failure on as this module's.
func primitive<Result: ~Copyable>(
  _ body: () throws(OpenSSLError) -> Result
) throws(CryptoError) -> Result {
  do { return try body() } catch { throw CryptoError(error) }
}
