import Testing

@testable import TICDSHTTP

@Suite struct ExchangeTests {
  private func exchange(
    _ address: String = "https://h/dav/x", _ method: String = "PUT", secret: Exchange.Secret = .password,
    known: Exchange.Authorisation? = nil, destination: String? = nil, home: String? = nil
  ) throws -> Exchange {
    var request = HTTPRequest(method, try HTTPAddress(address))
    request.destination = try destination.map { try HTTPAddress($0) }
    let home = try home.map { try HTTPAddress($0) } ?? request.address
    return Exchange(request, home: Home(home), secret: secret, known: known)
  }

  private func challenge(_ fields: String...) -> HTTPHead { challenge(fields) }
  private func challenge(_ fields: [String]) -> HTTPHead {
    HTTPHead(status: 401, fields: fields.map { ("WWW-Authenticate", $0) })
  }

  private func redirection(_ status: Int, _ location: String) -> HTTPHead {
    HTTPHead(status: status, fields: [("Location", location)])
  }

  @Test func `over TLS a password goes along at once`() throws {
    #expect(try exchange().authorisation == .basic)
  }

  @Test func `in the clear the server is asked first, and Digest is preferred`() throws {
    var exchange = try exchange("http://h/x")
    #expect(exchange.authorisation == .none)
    #expect(exchange.next(challenge("Basic realm=\"a, Digest b\", Digest realm=\"dav\"")) == .repeatRequest)
    #expect(exchange.authorisation == .digest)
  }

  @Test func `a scheme that is named in a quotation is not offered`() throws {
    var exchange = try exchange("http://h/x")
    #expect(exchange.next(challenge("Basic realm=\"a, Digest b\"")) == .repeatRequest)
    #expect(exchange.authorisation == .basic)
  }

  @Test func `a password that is refused is not sent for ever`() throws {
    for address in ["http://h/x", "https://h/x"] {
      for challenge in [challenge("Basic"), challenge("Digest"), challenge("Basic, Digest"), challenge()] {
        var exchange = try exchange(address)
        var steps = 0
        while exchange.next(challenge) == .repeatRequest { steps += 1 }
        #expect(steps <= 2)
      }
    }
  }

  @Test func `a server that knows no way to log in that is known here is named with those that it knows`()
    throws
  {
    for (fields, words) in [(["NTLM", "Negotiate"], "ntlm, negotiate"), ([], "no way to log in")] {
      var exchange = try exchange("http://h/x")
      guard case .fail(let error) = exchange.next(challenge(fields)) else {
        Issue.record("the password is called wrong")
        return
      }
      #expect(error.code == .unknownLogin && error.detail.contains(words))
    }
  }

  @Test func `a password that was sent is refused where nothing else is asked for`() throws {
    var exchange = try exchange()
    #expect(exchange.next(challenge()) == .finish)
  }

  @Test func `a token that is refused is renewed once`() throws {
    var exchange = try exchange(secret: .token)
    #expect(exchange.next(challenge("Bearer")) == .renewToken)
    #expect(exchange.next(challenge("Bearer")) == .finish)
  }

  @Test(arguments: [301, 302, 307, 308])
  func `a redirection keeps the method and what goes along`(_ status: Int) throws {
    var exchange = try exchange(destination: "https://h/dav/y")
    #expect(exchange.next(redirection(status, "/new/x")) == .repeatRequest)
    #expect(exchange.address.description == "https://h/new/x" && exchange.authorisation == .basic)
    #expect(exchange.destination?.description == "https://h/new/y")
    #expect(exchange.isMovedForGood == [301, 308].contains(status))
  }

  @Test(arguments: ["https://other/x", "https://h:444/x", "https://sub.h/x"])
  func `credentials are not told to another server, nor after it has sent us back`(_ location: String) throws
  {
    var exchange = try exchange()
    #expect(exchange.next(redirection(302, location)) == .repeatRequest)
    #expect(exchange.authorisation == .none)
    #expect(exchange.next(redirection(302, "https://h/dav/x")) == .repeatRequest)
    #expect(exchange.authorisation == .none)
  }

  @Test
  func `who asks for credentials behind a redirection is named, for those that there are go to the first`()
    throws
  {
    var exchange = try exchange()
    #expect(exchange.next(redirection(302, "https://other/x")) == .repeatRequest)
    guard case .fail(let error) = exchange.next(challenge("Basic")) else {
      Issue.record("the request goes on")
      return
    }
    #expect(error.code == .refusedRedirection && error.detail.contains("to other, which asks"))
  }

  @Test(arguments: ["https://other/x", "https://h:444/x", "http://h/x", "https://sub.h/x"])
  func `a request that begins elsewhere proves nothing, and shows no certificate`(_ address: String) throws {
    for secret in [Exchange.Secret.password, .token] {
      for known in [Exchange.Authorisation.basic, .digest, nil] {
        var exchange = try exchange(address, secret: secret, known: known, home: "https://h/")
        #expect(exchange.authorisation == .none && exchange.isAway)
        // Nor when it is sent home.
        #expect(exchange.next(redirection(308, "https://h/x")) == .repeatRequest)
        #expect(exchange.authorisation == .none && exchange.isAway)
        guard case .fail = exchange.next(challenge("Basic", "Digest", "Bearer")) else {
          Issue.record("the request goes on")
          return
        }
      }
    }
  }

  @Test func `the place where a host asks for TLS first is the one that is told credentials`() throws {
    var home = Home(try HTTPAddress("http://h:8080/"))
    #expect(try home.admits(HTTPAddress("https://h:8443/x")))
    home.note(try HTTPAddress("https://h:8443/x"))
    #expect(try home.admits(HTTPAddress("https://h:8443/y")) && home.admits(HTTPAddress("http://h:8080/y")))
    #expect(try !home.admits(HTTPAddress("https://h/")) && !home.admits(HTTPAddress("http://h/")))
    var exchange = try exchange("http://h/x", secret: .token)
    #expect(exchange.next(redirection(308, "https://h/x")) == .repeatRequest)
    #expect(exchange.next(redirection(308, "https://h:444/x")) == .repeatRequest)
    #expect(exchange.authorisation == .none && exchange.isAway)
  }

  @Test func `credentials go along when the same host asks for TLS`() throws {
    var exchange = try exchange("http://h/x", secret: .token)
    #expect(exchange.next(redirection(301, "https://h/x")) == .repeatRequest)
    #expect(exchange.authorisation == .bearer)
  }

  @Test func `a redirection that takes TLS away is refused`() throws {
    var exchange = try exchange()
    guard case .fail(let error) = exchange.next(redirection(302, "http://h/dav/x")) else {
      Issue.record("followed")
      return
    }
    #expect(error.code == .refusedRedirection)
  }

  @Test func `redirections in a circle come to an end`() throws {
    var exchange = try exchange()
    var steps = 0
    while exchange.next(redirection(302, "/dav/x")) == .repeatRequest { steps += 1 }
    #expect(steps == Exchange.redirectionLimit)
  }

  @Test func `a file that turns out to be a folder is not followed`() throws {
    var exchange = try exchange(method: "GET")
    #expect(exchange.next(redirection(301, "https://h/dav/x/")) == .finish)
  }

  private func exchange(method: String) throws -> Exchange { try exchange("https://h/dav/x", method) }
}
