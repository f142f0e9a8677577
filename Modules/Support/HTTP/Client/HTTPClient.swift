import Locking
import Synchronization

/// Sends requests to servers over HTTP/1.1 and HTTP/2.
///
/// All requests of one client are carried out by one thread of its own, which keeps connections open and uses them again.
/// Requests may be made from any task, many at once. The client ends when it goes out of use.
public final class HTTPClient: Sendable {
  /// How the client reaches servers.
  public let configuration: HTTPConfiguration
  private let credentials: Credentials
  private let loop: EventLoop
  private let numbers = Atomic<UInt64>(0)
  private let home: HTTPAddress
  private let memory: Locked<Memory>

  /// What is remembered from one request to the next.
  private struct Memory: Sendable {
    var home: Home
    var known: Exchange.Authorisation?
    var token: String?
    var hasAnswered = false
  }

  /// Makes a client. Nothing is connected before the first request.
  ///
  /// - Parameters:
  ///   - configuration: how servers are reached, trusted and waited for.
  ///   - credentials: told to the server at `home`, and to no other, whoever answers for it after a redirection.
  ///   - home: an address at the server that the credentials and the certificate of this client are for.
  public init(
    _ configuration: HTTPConfiguration = HTTPConfiguration(), credentials: Credentials = .none,
    home: HTTPAddress
  ) {
    self.configuration = configuration
    self.credentials = credentials
    self.home = home
    memory = Locked(Memory(home: Home(home)))
    loop = EventLoop(configuration)
  }

  deinit { loop.stop() }

  /// Whether there are credentials to be told.
  public var hasCredentials: Bool { credentials.kind != .none }

  /// Another client with the same configuration and credentials, and a thread and connections of its own.
  public func copy() -> HTTPClient {
    HTTPClient(configuration, credentials: credentials, home: home)
  }

  /// Sends a request, logs in where that is asked for, and follows redirections with the same method and body.
  ///
  /// - Parameters:
  ///   - request: what is asked of which address.
  ///   - receiver: takes the body of an answer of success.
  /// - Returns: what came back in the end, whatever its status.
  /// - Throws: ``HTTPError`` if there was no answer.
  public func send(
    _ request: HTTPRequest, receiver: some BodyReceiver
  ) async throws(HTTPError) -> HTTPResponse {
    var exchange = memory.withLock {
      Exchange(request, home: $0.home, secret: credentials.kind, known: $0.known)
    }
    while true {
      let token = exchange.authorisation == .bearer ? try await token(refused: nil) : nil
      let head = try await attempt(request, exchange, token, receiver)
      switch exchange.next(head) {
      case .finish:
        remember(exchange, head)
        return HTTPResponse(head: head, address: exchange.address, isMovedForGood: exchange.isMovedForGood)
      case .repeatRequest: break
      case .renewToken: _ = try await self.token(refused: token)
      case .fail(let error): throw error
      }
    }
  }

  private func remember(_ exchange: Exchange, _ head: HTTPHead) {
    if !exchange.isAway { memory.withLock { $0.home.note(exchange.address) } }
    guard head.status != 401, case .password = credentials.content else { return }
    let authorisation = exchange.authorisation
    if authorisation != .none { memory.withLock { $0.known = authorisation } }
  }

  private func attempt(
    _ request: HTTPRequest, _ exchange: Exchange, _ token: String?, _ receiver: some BodyReceiver
  ) async throws(HTTPError) -> HTTPHead {
    if Task.isCancelled { throw HTTPError(.cancelled, "the request was cancelled") }
    guard
      exchange.authorisation == .none || exchange.address.scheme == .https
        || configuration.allowsPlainCredentials
    else {
      throw HTTPError(
        .plainCredentials, "credentials would be sent in the clear to \(exchange.address.authority)")
    }
    var fields = request.fields
    if let destination = exchange.destination { fields.append(("Destination", destination.description)) }
    if let token { fields.append(("Authorization", "Bearer \(token)")) }
    let cancellation = Cancellation()
    let number = numbers.add(1, ordering: .relaxed).newValue
    let hasAnswered = memory.withLock { $0.hasAnswered }
    let stallLimit =
      hasAnswered ? configuration.stallLimit : min(configuration.stallLimit, configuration.firstAnswerLimit)
    let (loop, sent, login) = (loop, fields, credentials.login(exchange.authorisation))
    let result: Result<HTTPHead, HTTPError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.start(
          TransferJob(
            number: number, method: request.method, address: exchange.address, fields: sent,
            body: request.body,
            acceptsCompression: request.acceptsCompression, isRepeatable: request.isRepeatable, login: login,
            showsCertificate: !exchange.isAway,
            stallLimit: stallLimit, expectedLength: request.expectedLength,
            doubtsLength: request.doubtsLength, hasAnswered: hasAnswered,
            receiver: receiver,
            progress: request.progress, cancellation: cancellation,
            end: { continuation.resume(returning: $0) }))
      }
    } onCancel: {
      cancellation.set()
      loop.cancel(number)
    }
    let head = try result.get()
    if !hasAnswered { memory.withLock { $0.hasAnswered = true } }
    return head
  }

  /// The token to send; a new one if that was refused which would be sent.
  private func token(refused: String?) async throws(HTTPError) -> String {
    guard case .bearer(let provide) = credentials.content else { return "" }
    if let known = memory.withLock({ $0.token }), known != refused { return known }
    do {
      let token = try await provide(refused)
      memory.withLock { $0.token = token }
      return token
    } catch {
      // What the provider says may hold what nobody should read.
      if error is CancellationError { throw HTTPError(.cancelled, "the request was cancelled") }
      throw HTTPError(.noToken, "no token could be had (\(type(of: error)))")
    }
  }
}

extension Credentials {
  fileprivate var kind: Exchange.Secret {
    switch content {
    case .none: .none
    case .password: .password
    case .bearer: .token
    }
  }

  fileprivate func login(_ authorisation: Exchange.Authorisation) -> TransferJob.Login {
    guard case .password(let user, let password) = content else { return .none }
    return switch authorisation {
    case .none, .bearer: .none
    case .basic: .basic(user: user, password: password)
    case .digest: .digest(user: user, password: password)
    }
  }
}
