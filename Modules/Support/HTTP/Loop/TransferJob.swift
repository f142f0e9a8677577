import Synchronization

/// One attempt at a request, as it is handed to the thread of an ``EventLoop``.
struct TransferJob: Sendable {
  let number: UInt64
  let method: String
  let address: HTTPAddress
  let fields: [(name: String, value: String)]
  let body: HTTPRequest.Body
  let acceptsCompression: Bool
  let isRepeatable: Bool
  let login: Login
  /// Whether the server is the one that the certificate of this client is for.
  let showsCertificate: Bool
  /// How long it may go on with hardly a byte.
  let stallLimit: Duration
  /// About how long the body of the answer is; `nil` if the answer may take any time.
  let expectedLength: Int64?
  /// Whether a long answer that comes slowly is given up, for its length to be asked for elsewhere.
  let doubtsLength: Bool
  /// Whether the server has answered this client before.
  let hasAnswered: Bool
  let receiver: any BodyReceiver
  let progress: (@Sendable (Int64) -> Void)?
  let cancellation: Cancellation
  let end: @Sendable (Result<HTTPHead, HTTPError>) -> Void

  /// What libcurl is told of the credentials.
  enum Login: Sendable {
    case none
    case basic(user: String, password: String)
    case digest(user: String, password: String)
  }
}

/// Carries the cancellation of a task to the thread that works for it.
final class Cancellation: Sendable {
  private let flag = Atomic(false)
  var isSet: Bool { flag.load(ordering: .relaxed) }
  func set() { flag.store(true, ordering: .relaxed) }
}
