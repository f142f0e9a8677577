#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why a request got no answer, or none that could be used.
///
/// Holds no credentials: what libcurl says of addresses is about hosts and ports, and addresses have no user names.
public struct HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Hashable, Sendable {
    /// The host's name is not known.
    case unknownHost
    /// Nobody listens there.
    case noConnection
    /// The proxy is not there, or does not let us through.
    case noProxy
    /// The proxy asks for a user name and a password.
    case proxyLogin
    /// The server's certificate is not trusted.
    case untrusted
    /// The server's certificate is for another host.
    case otherHost
    /// The server's certificate has expired, or is not valid yet.
    case expired
    /// The server's key is not the one that is pinned.
    case otherKey
    /// The server wants a certificate of this client, or the one that was named cannot be used.
    case noCertificate
    /// What answers speaks no TLS, or none that we speak.
    case noTLS
    /// A server that has never answered broke the connection while TLS began or right after. It may want a certificate of this client.
    case brokenTLS
    /// What answers speaks no HTTP.
    case noHTTP
    /// Connecting, or the next bytes, took too long.
    case timedOut
    /// The answer took longer than its length allows.
    case tooSlow
    /// The connection broke. Whether the request took effect is not known.
    case connectionLost
    /// The body ended before its end.
    case cutShort
    /// The body is larger than the receiver takes.
    case tooLarge
    /// The task was cancelled.
    case cancelled
    /// A file of this device cannot be read or written.
    case localFile
    /// Credentials would be sent in the clear, which was not allowed.
    case plainCredentials
    /// The server redirects to where we do not follow.
    case refusedRedirection
    /// What came is no HTTP, or not what the receiver can read.
    case malformed
    /// No token could be had.
    case noToken
    /// The server asks for credentials, and there are none.
    case noCredentials
    /// The server asks for credentials in ways that are not known here.
    case unknownLogin
    /// The client was closed.
    case closed
    /// The receiver wants no more of the body. The request then ends as if nothing more had come.
    case enough
    /// Anything else.
    case other
  }

  /// What went wrong.
  public let code: Code
  /// In words, for a log.
  public let detail: String
  /// The system's number (`errno`) for a file of this device that cannot be read or written, where it is known.
  public private(set) var systemError: Int32?

  /// Describes a failure.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// A file of this device that the system refuses to read or write: ``Code/localFile``, with the present value of `errno`.
  public static func localFile(_ sentence: String) -> HTTPError {
    let number = errno
    var error = HTTPError(.localFile, "\(sentence): \(String(cString: strerror(number)))")
    error.systemError = number
    return error
  }

  /// A body beyond a limit.
  static func tooLarge(_ limit: Int) -> HTTPError {
    HTTPError(.tooLarge, "the answer has more than \(limit) bytes")
  }

  /// The words.
  public var description: String { detail }
}
