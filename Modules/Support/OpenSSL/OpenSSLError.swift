import CTICDSOpenSSL

/// A failure of a cryptographic primitive. It never carries a key, a plaintext or a password.
public struct OpenSSLError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of failure it is.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable { case authentication, padding, argument, memoryLimit, library }
    private let kind: Kind

    /// The authentication tag does not fit key, nonce, associated data and ciphertext.
    public static let authenticationFailed = Code(kind: .authentication)
    /// A decrypted final block does not end in valid PKCS#7 padding, or is no whole block.
    public static let invalidPadding = Code(kind: .padding)
    /// A key, nonce, tag, parameter or length is outside what the algorithm permits.
    public static let invalidArgument = Code(kind: .argument)
    /// The operation would need more memory than its caller permits.
    public static let memoryLimitExceeded = Code(kind: .memoryLimit)
    /// The library failed for a reason of its own, such as missing entropy; see the message.
    public static let libraryFailure = Code(kind: .library)
  }

  /// What kind of failure it is.
  public let code: Code
  /// The primitive, for example `"AES-256-GCM"`.
  public let algorithm: String
  /// Details without secrets, or OpenSSL's own words.
  public let message: String

  /// Describes a failure.
  public init(_ code: Code, algorithm: String, message: String) {
    self.code = code
    self.algorithm = algorithm
    self.message = message
  }

  /// What a person can do about it.
  public var recovery: String {
    switch code {
    case .authenticationFailed, .invalidPadding:
      "The data is damaged, was tampered with, or belongs to another key; fetch it again or use the right key."
    case .memoryLimitExceeded: "Permit more memory, or refuse the parameters if their origin is not trusted."
    case .invalidArgument: "Correct the length or parameter that the message names."
    default: "Check that OpenSSL 3 is installed completely, then report the message."
    }
  }

  /// One line for a log or a terminal.
  public var description: String { "\(algorithm): \(message)" }

  /// The failure that OpenSSL queued last for this thread; empties the queue.
  static func last(_ algorithm: String) -> OpenSSLError {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else {
      return OpenSSLError(.libraryFailure, algorithm: algorithm, message: "failed without a reason")
    }
    return OpenSSLError(.libraryFailure, algorithm: algorithm, message: String(cString: reason))
  }
}

/// Stops the process if a call failed that can fail only for want of memory.
///
/// Digests and HMAC over ``Library``'s own algorithms have no other failure: parameters are constant, and
/// every state transition is made by the wrapper itself. Swift stops as well when it cannot allocate.
@inline(__always)
func require(_ succeeded: Bool, _ algorithm: StaticString) {
  precondition(succeeded, "\(algorithm) could not allocate its state")
}
