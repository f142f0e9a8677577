/// One request with what it takes to get its final answer: logging in, and following redirections.
///
/// A value without I/O: ``next(_:)`` is told what came back and says what to do.
struct Exchange {
  /// How a request proves who asks.
  enum Authorisation: Hashable {
    case none
    case basic
    case digest
    case bearer
  }

  enum Step: Equatable {
    case finish
    case repeatRequest
    case renewToken
    case fail(HTTPError)
  }

  /// What kind of credentials there are.
  enum Secret {
    case none
    case password
    case token
  }

  static let redirectionLimit = 5

  private(set) var address: HTTPAddress
  private(set) var destination: HTTPAddress?
  private(set) var authorisation: Authorisation
  private(set) var isMovedForGood = false
  private let method: String
  private let secret: Secret
  private var redirections = 0
  private var hasLoggedIn = false
  private var hasRenewed = false
  private var home: Home
  /// Whether another server than that which the credentials are for is asked, or has sent us back. Nothing is proved then.
  private(set) var isAway: Bool

  /// - Parameters:
  ///   - home: the server that the credentials are for, whatever the address of the request is.
  ///   - known: how this server let us in before, if it has.
  init(_ request: HTTPRequest, home: Home, secret: Secret, known: Authorisation?) {
    address = request.address
    self.home = home
    isAway = !home.admits(request.address)
    destination = request.destination
    method = request.method
    self.secret = secret
    authorisation =
      switch secret {
      case _ where isAway: .none
      case .none: .none
      case .token: .bearer
      // Over TLS the password goes along at once, which saves every first request. In the clear the server is asked
      // first, for it may take Digest, which does not show the password.
      case .password: known ?? (request.address.scheme == .https ? .basic : .none)
      }
  }

  mutating func next(_ head: HTTPHead) -> Step {
    switch head.status {
    case 401: logIn(head)
    case 301, 302, 307, 308: redirect(head)
    default: .finish
    }
  }

  private mutating func logIn(_ head: HTTPHead) -> Step {
    guard !isAway else {
      return .fail(
        HTTPError(
          .refusedRedirection,
          "the server redirects to \(address.authority), which asks for credentials; they are given to the first server alone"
        ))
    }
    switch secret {
    case .none: return .finish
    case .token:
      defer { hasRenewed = true }
      return hasRenewed ? .finish : .renewToken
    case .password:
      let offered = Challenge.schemes(head.all("www-authenticate"))
      let isTriedBefore = hasLoggedIn
      hasLoggedIn = true
      // Digest goes first: it does not show the password.
      if offered.contains("digest"), authorisation != .digest, !isTriedBefore || authorisation == .basic {
        authorisation = .digest
        return .repeatRequest
      }
      if offered.contains("basic"), authorisation == .none, !isTriedBefore {
        authorisation = .basic
        return .repeatRequest
      }
      // A server that offers nothing may have refused what it got.
      guard !offered.contains("digest"), !offered.contains("basic"),
        authorisation == .none || !offered.isEmpty
      else { return .finish }
      let names = Challenge.names(offered)
      return .fail(
        HTTPError(
          .unknownLogin,
          names.isEmpty ? "HTTP status 401, and no way to log in is offered" : "only \(names) is offered"))
    }
  }

  private mutating func redirect(_ head: HTTPHead) -> Step {
    guard let location = head["location"] else { return .finish }
    let target: HTTPAddress
    do {
      target = try address.resolving(location)
    } catch {
      return .fail(HTTPError(.refusedRedirection, "the server redirects to what is no address: \(error)"))
    }
    // A folder is asked for without its slash. What that means depends on the method; `GET` must not become a page.
    if target.hasSameOrigin(as: address), target.path == address.path + "/", method == "GET" {
      return .finish
    }
    redirections += 1
    guard redirections <= Self.redirectionLimit else {
      return .fail(
        HTTPError(.refusedRedirection, "the server redirects more than \(Self.redirectionLimit) times"))
    }
    guard target.scheme == .https || address.scheme == .http else {
      return .fail(
        HTTPError(.refusedRedirection, "the server redirects to \(target.authority) without encryption"))
    }
    if let old = destination {
      guard let moved = address.carrying(old, to: target) else {
        return .fail(
          HTTPError(
            .refusedRedirection, "the server redirects to \(target.authority) without the destination"))
      }
      destination = moved
    }
    if home.admits(target) {
      home.note(target)
    } else {
      // What is secret to one server is not told to another, nor to this one when it sends us back.
      isAway = true
      authorisation = .none
    }
    isMovedForGood = (redirections == 1 || isMovedForGood) && [301, 308].contains(head.status)
    address = target
    return .repeatRequest
  }
}
