import Foundation
import HTTP
import ProcessTesting
import SyncProtocol
import Testing
import WebDAVBackend

/// Who is let in, and who is trusted: Apache with passwords and with TLS.
@Suite struct TrustTests {
  private static let secret = Credentials.password(user: "ticds", password: "secret")

  private func backend(
    _ server: LocalServer, scheme: String = "http", _ credentials: Credentials = .none,
    _ adjust: (inout HTTPConfiguration) -> Void = { _ in }
  ) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    adjust(&configuration)
    return WebDAVBackend(
      try HTTPAddress("\(scheme)://\(server.place)"), credentials: credentials, configuration: configuration)
  }

  private func roundTrip(_ backend: WebDAVBackend) async throws {
    let path = try #require(RemotePath("file-\(UUID().uuidString)"))
    let bytes = [UInt8](repeating: 7, count: 100_000)
    try await backend.upload(bytes, to: path)
    #expect(try await backend.download(path, limit: 200_000) == bytes)
  }

  private func failure(_ backend: WebDAVBackend) async -> BackendError? {
    do throws(BackendError) {
      _ = try await backend.list(.root)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["basic", "digest"])
  func `a password lets in where it is right, and a wrong one is told`(_ kind: String) async throws {
    let server = try await LocalServers.shared.server(.apache, "--auth", kind)
    try await roundTrip(backend(server, Self.secret) { $0.allowsPlainCredentials = true })
    let wrong = Credentials.password(user: "ticds", password: "geheim")
    let error = try await failure(backend(server, wrong) { $0.allowsPlainCredentials = true })
    #expect(error?.code == .unauthorised)
    #expect(error.map { "\($0) \($0.recovery)".contains("geheim") } == false)
    #expect(try await failure(backend(server))?.code == .unauthorised)
  }

  @Test(arguments: ["basic", "digest"])
  func `a password does not go through the clear unless that is allowed`(_ kind: String) async throws {
    let server = try await LocalServers.shared.server(.apache, "--auth", kind)
    let error = try await failure(backend(server, Self.secret))
    #expect(error?.code == .forbidden)
    #expect(error.map { "\($0) \($0.recovery)".contains("secret") } == false)
  }

  /// Apache redirects what is asked for without the slash of a folder, and over HTTP/2 it does so before it has the request's body.
  @Test func `a folder is found over HTTP 2 however early the server answers`() async throws {
    let server = try await LocalServers.shared.server(.apache, "--tls")
    let backend = try backend(server, scheme: "https") {
      $0.trust = .authorities(inFile: server.folder + "/certificate.pem")
    }
    let path = try #require(RemotePath("folder-\(UUID().uuidString)"))
    try await backend.makeDirectory(path)
    for _ in 0..<100 { #expect(try await backend.stat(path).kind == .folder) }
  }

  @Test func `a server is trusted whose authority is, or whose key is named, and no other`() async throws {
    let server = try await LocalServers.shared.server(.apache, "--tls")
    let certificate = server.folder + "/certificate.pem"
    #expect(try await failure(backend(server, scheme: "https"))?.code == .forbidden)
    try await roundTrip(
      backend(server, scheme: "https") { $0.trust = .authorities(inFile: certificate) })

    let digest = try await Subprocess.run([
      "sh", "-c",
      "openssl x509 -in \"$0\" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64",
      certificate,
    ]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let pin = try #require(HTTPConfiguration.Trust.pinnedKey("sha256//" + digest))
    try await roundTrip(backend(server, scheme: "https") { $0.trust = pin })
    let other = try #require(
      HTTPConfiguration.Trust.pinnedKey("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
    #expect(try await failure(backend(server, scheme: "https") { $0.trust = other })?.code == .forbidden)
    #expect(HTTPConfiguration.Trust.pinnedKey("00:11") == nil)
  }

  @Test func `credentials show of which kind they are, and nothing else`() {
    for text in ["\(Self.secret)", String(reflecting: Self.secret), "\(Credentials.bearer("secret"))"] {
      #expect(!text.contains("secret"))
    }
    var text = ""
    dump(Self.secret, to: &text)
    #expect(!text.contains("secret"))
  }

  @Test func `a root that has moved is followed, with bodies and destinations`() async throws {
    let server = try await LocalServers.shared.server(.apache)
    let folder = try await server.makeFolder()
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let moved = WebDAVBackend(
      try HTTPAddress("http://\(server.place)moved/\(folder)"), configuration: configuration)
    try await roundTrip(moved)
    #expect(try await webDAV(server, folder, .unknown).list(.root).entries.count == 1)
  }

  @Test func `nobody listening is unreachable`() async throws {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let nobody = WebDAVBackend(try HTTPAddress("http://127.0.0.1:9/"), configuration: configuration)
    #expect(await failure(nobody)?.code == .unreachable)
  }
}
