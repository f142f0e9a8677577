import TICDSHTTP
import SyncProtocol

/// Why something did not work, before it is said of which entry.
struct Failure: Error, Equatable, Sendable {
  var code: BackendError.Code
  var detail: String
  var retryAfter: Duration?
  var remedy: Remedy?
  /// Whether nothing came for as long as is waited.
  var timedOut = false
  /// Whether an answer came, and had no end within the time that there was for it.
  var wasTooSlow = false
  /// The system's number for a file of this device that cannot be read or written.
  var systemError: Int32?

  init(_ code: BackendError.Code, _ detail: String = "", retryAfter: Duration? = nil, _ remedy: Remedy? = nil)
  {
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.remedy = remedy
  }

  func error(at path: RemotePath) -> BackendError {
    var error = BackendError(
      code, path: path, detail: detail, retryAfter: retryAfter, recovery: remedy?.rawValue,
      systemError: systemError)
    error.timedOut = timedOut
    error.wasAwaited = wasTooSlow
    return error
  }
}

extension Failure {
  /// What is not there is never taken for empty.
  static let noRoot = Failure(.unreachable, "the root folder does not exist", .checkPath)

  /// The same of a server that speaks no WebDAV there, or none any more.
  ///
  /// - Parameter detail: how it refused.
  static func goneRoot(_ detail: String) -> Failure {
    Failure(.unreachable, "\(noRoot.detail): \(detail)", .findRoot)
  }

  /// Whether it says that there is no root.
  var isGoneRoot: Bool { code == .unreachable && (remedy == .checkPath || remedy == .findRoot) }

  /// The same with another remedy.
  func with(_ remedy: Remedy) -> Failure {
    var failure = self
    failure.remedy = remedy
    return failure
  }

  /// An answer of a kind that belongs to another request.
  static let unexpected = Failure(.failed, "the server's answer was not expected", .expectAnswer)

  /// Said of what lies there that it does not, or that what can lie there does not; asked again later, the server may agree with itself.
  func contradicted() -> Failure {
    var failure = Failure(.unreachable, detail, retryAfter: retryAfter, .expectSense)
    (failure.timedOut, failure.wasTooSlow) = (timedOut, wasTooSlow)
    return failure
  }

  /// What it means where the file came too slowly before, and is no better now: it was waited for, and is not asked for again and again.
  var afterSlowness: Failure {
    guard code == .damaged else { return self }
    var failure = Failure(.unreachable, detail, retryAfter: retryAfter, .awaitServer)
    (failure.timedOut, failure.wasTooSlow) = (true, true)
    return failure
  }

  /// What it means of a request that carries no file, so that nothing can be too large for the server.
  ///
  /// - Parameter needsRoom: whether there must be room for what is asked.
  func withoutFile(needsRoom: Bool) -> Failure {
    guard code == .quotaExceeded, !needsRoom || remedy == .allowLargeFiles else { return self }
    return Failure(.unreachable, detail, retryAfter: retryAfter, .awaitServer)
  }

  /// What a status means where no request gives it a meaning of its own.
  init(status: Int, retryAfter: Duration? = nil) {
    let words = "HTTP status \(status)" + (retryAfter.map(Self.wish) ?? "")
    switch status {
    case 301, 302, 303, 307, 308: self.init(.failed, words, .followRedirection)
    case 400: self.init(.failed, words, .tryTLS)
    case 401: self.init(.unauthorised, words, .checkCredentials)
    case 407: self.init(.unauthorised, words, .giveProxyCredentials)
    case 403, 451: self.init(.forbidden, words)
    case 404, 410: self.init(.notFound, words)
    case 405, 501: self.init(.unsupported, words, .allowWriting)
    case 409: self.init(.notFound, words)
    case 412: self.init(.alreadyExists, words)
    case 413: self.init(.quotaExceeded, words, .allowLargeFiles)
    case 507: self.init(.quotaExceeded, words)
    case 423: self.init(.locked, words, retryAfter: retryAfter)
    // 425 Too Early: the request may be sent again once the connection is established.
    case 425, 429, 509: self.init(.rateLimited, words, retryAfter: retryAfter)
    case 503 where retryAfter != nil: self.init(.rateLimited, words, retryAfter: retryAfter)
    // 520 to 530 are those of a well-known proxy for a server that does not answer.
    case 408, 500, 502, 503, 504, 520...530:
      self.init(.unreachable, words, retryAfter: retryAfter, .awaitServer)
    // Network Authentication Required: somebody between wants a login.
    case 511: self.init(.unreachable, words, .findWebDAV)
    default: self.init(.failed, words, .askServer)
    }
  }

  /// How long the server wants to be left alone.
  private static func wish(_ pause: Duration) -> String {
    let seconds = pause.components.seconds
    let time =
      switch seconds {
      case 1: "1 second"
      case ..<120: "\(seconds) seconds"
      case ..<7_200: "\(seconds / 60) minutes"
      case 86_400...: "a day or more"
      default: "\(seconds / 3_600) hours"
      }
    return ", to be asked again in \(time)"
  }

  /// What it means that there was no answer.
  init(_ error: HTTPError) {
    switch error.code {
    case .unknownHost: self.init(.unreachable, error.detail, .checkHost)
    case .noConnection: self.init(.unreachable, error.detail, .checkServer)
    case .noProxy: self.init(.unreachable, error.detail, .checkProxy)
    case .proxyLogin: self.init(.unauthorised, error.detail, .giveProxyCredentials)
    case .connectionLost: self.init(.unreachable, error.detail, .wait)
    case .timedOut:
      self.init(.unreachable, error.detail, .wait)
      timedOut = true
    case .tooSlow:
      self.init(.unreachable, error.detail, .awaitServer)
      (timedOut, wasTooSlow) = (true, true)
    case .closed: self.init(.unreachable, error.detail)
    case .noTLS: self.init(.unreachable, error.detail, .leaveTLS)
    case .brokenTLS: self.init(.unreachable, error.detail, .mayNeedCertificate)
    case .untrusted: self.init(.forbidden, error.detail, .trustServer)
    case .otherHost: self.init(.forbidden, error.detail, .checkName)
    case .expired: self.init(.forbidden, error.detail, .renewCertificate)
    case .otherKey: self.init(.forbidden, error.detail, .compareKey)
    case .noCertificate: self.init(.forbidden, error.detail, .giveCertificate)
    case .plainCredentials: self.init(.forbidden, error.detail, .encrypt)
    case .refusedRedirection: self.init(.failed, error.detail, .followRedirection)
    case .noHTTP: self.init(.damaged, error.detail, .checkPort)
    case .cutShort, .malformed: self.init(.damaged, error.detail, .expectAnswer)
    case .tooLarge: self.init(.tooLarge, error.detail)
    case .cancelled: self.init(.cancelled)
    case .localFile:
      self.init(.localFile, error.detail)
      systemError = error.systemError
    case .noToken: self.init(.unauthorised, error.detail, .checkCredentials)
    case .noCredentials: self.init(.unauthorised, error.detail, .giveCredentials)
    case .unknownLogin: self.init(.unauthorised, error.detail, .offerLogin)
    case .enough, .other: self.init(.failed, error.detail)
    }
  }
}
