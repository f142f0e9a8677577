import HTTP
import SyncProtocol

/// Why something did not work, before it is said of which entry.
struct Failure: Error, Equatable, Sendable {
  var code: BackendError.Code
  var detail: String
  var retryAfter: Duration?
  var recovery: String?

  init(_ code: BackendError.Code, _ detail: String = "", retryAfter: Duration? = nil, recovery: String? = nil)
  {
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.recovery = recovery
  }

  func error(at path: RemotePath) -> BackendError {
    BackendError(code, path: path, detail: detail, retryAfter: retryAfter, recovery: recovery)
  }
}

extension Failure {
  /// What a status means where no request gives it a meaning of its own.
  init(status: Int, retryAfter: Duration? = nil) {
    let words = "HTTP status \(status)"
    switch status {
    case 300...399: self.init(.failed, words, recovery: Self.redirected)
    case 401: self.init(.unauthorised, words)
    case 407: self.init(.unauthorised, words, recovery: "Enter the user name and password of the proxy.")
    case 403, 451: self.init(.forbidden, words)
    case 404, 410: self.init(.notFound, words)
    case 405, 501: self.init(.unsupported, words, recovery: Self.noWebDAV)
    case 409: self.init(.notFound, words)
    case 412: self.init(.alreadyExists, words)
    case 413: self.init(.quotaExceeded, words, recovery: Self.tooLarge)
    case 507: self.init(.quotaExceeded, words)
    case 423: self.init(.locked, words, retryAfter: retryAfter)
    // 425 Too Early: the request may be sent again once the connection is established.
    case 425, 429, 509: self.init(.rateLimited, words, retryAfter: retryAfter)
    case 503 where retryAfter != nil: self.init(.rateLimited, words, retryAfter: retryAfter)
    // 520 to 530 are those of a well-known proxy for a server that does not answer.
    case 408, 500, 502, 503, 504, 520...530: self.init(.unreachable, words, retryAfter: retryAfter)
    default: self.init(.failed, words)
    }
  }

  /// What it means that there was no answer.
  init(_ error: HTTPError) {
    switch error.code {
    case .unknownHost, .noConnection, .timedOut, .connectionLost, .closed:
      self.init(.unreachable, error.detail)
    case .untrusted: self.init(.forbidden, error.detail, recovery: Self.untrusted)
    case .plainCredentials: self.init(.forbidden, error.detail, recovery: Self.plain)
    case .refusedRedirection: self.init(.failed, error.detail, recovery: Self.redirected)
    case .cutShort, .malformed: self.init(.damaged, error.detail)
    case .tooLarge: self.init(.tooLarge, error.detail)
    case .cancelled: self.init(.cancelled)
    case .localFile: self.init(.localFile, error.detail)
    case .noToken: self.init(.unauthorised, error.detail)
    case .other: self.init(.failed, error.detail)
    }
  }

  private static let redirected = "Enter the address that the server redirects to, if you trust it."
  private static let noWebDAV =
    "Check that the address is that of a WebDAV folder; it often has a path of its own."
  private static let tooLarge =
    "Have the server, or the proxy before it, accept files as large as this; the next sync continues."
  private static let untrusted =
    "Name the file with the certificate authority of the server, or the pin of its key, if you trust it."
  private static let plain =
    "Use an address with TLS, or allow the password to go through connections that anybody can read."
}
