import Foundation
import TICDSHTTP
import ProcessTesting
import SyncProtocol
import TemporaryFolders
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
    let error = try await failure(backend(server, scheme: "https") { $0.trust = other })
    #expect(error?.code == .forbidden && error?.recovery == Remedy.compareKey.rawValue)
    #expect(HTTPConfiguration.Trust.pinnedKey("00:11") == nil)
  }

  /// A server with a certificate for a name, signed by an authority of its own, that wants one of who asks if it is told so.
  private static let script = """
    import os, socket, ssl, subprocess, sys
    os.chdir(sys.argv[1])
    def run(*words): subprocess.run(words, check=True, capture_output=True)
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=Authority",
        "-keyout", "authority.key", "-out", "authority.pem")
    for name in ("server", "client"):
        open(name + ".ext", "w").write("subjectAltName=" + sys.argv[2])
        run("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key",
            "-out", name + ".csr")
        run("openssl", "x509", "-req", "-in", name + ".csr", "-CA", "authority.pem", "-CAkey", "authority.key",
            "-CAcreateserial", "-days", "9", "-extfile", name + ".ext", "-out", name + ".pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    if sys.argv[3] == "demanding":
        context.load_verify_locations("authority.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    body = (b'<D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>'
            b'<D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>'
            b'</D:response></D:multistatus>')
    while True:
        connection = listener.accept()[0]
        stream = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        try:
            stream.settimeout(9)
            stream.do_handshake()
            stream.recv(65536)
            stream.sendall(b"HTTP/1.1 207 x\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
        except OSError:
            # What the other side has sent meanwhile is read, for else the system takes back what was said to it.
            try:
                socket.socket.shutdown(stream, socket.SHUT_WR)
                while socket.socket.recv(stream, 65536): pass
            except OSError: pass
        stream.close()
    """

  @Test(arguments: [
    ("DNS:other.example", "content", Remedy.checkName), ("IP:127.0.0.1", "demanding", .giveCertificate),
  ])
  func `a certificate for another host, and the lack of one of this device, are told`(
    _ name: String, _ mood: String, _ remedy: Remedy
  ) async throws {
    let folder = try TemporaryFolder()
    let server = try Subprocess(["python3", "-c", Self.script, folder.path, name, mood], isAnnouncing: true)
    defer { server.send(SIGTERM) }
    server.reapOnceEnded()
    let port = try #require(await server.announcement())
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.trust = .authorities(inFile: folder.file("authority.pem"))
    let address = try HTTPAddress("https://127.0.0.1:\(port)/")
    let error = await failure(WebDAVBackend(address, configuration: configuration))
    #expect(error?.code == .forbidden && error?.recovery == remedy.rawValue, "\(String(describing: error))")
    guard mood == "demanding" else { return }
    configuration.clientCertificate = .init(
      certificateFile: folder.file("client.pem"), keyFile: folder.file("client.key"))
    #expect(await failure(WebDAVBackend(address, configuration: configuration)) == nil)
  }

  /// A server that demands a certificate and does not say so: without one it sends what TLS began with, and then breaks off.
  private static let silentScript = """
    import os, socket, ssl, struct, subprocess, sys
    os.chdir(sys.argv[1])
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=a", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate.pem", "key.pem")
    context.load_verify_locations("certificate.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        connection = listener.accept()[0]
        received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        stream = context.wrap_bio(received, sent, server_side=True)
        try:
            connection.settimeout(9)
            while True:
                try:
                    stream.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    connection.sendall(sent.read())
                    received.write(connection.recv(65536))
            # Nobody gets that far without a certificate.
            connection.sendall(b"wrong")
        except (OSError, ssl.SSLError):
            # What would say why stays here.
            if sys.argv[3] == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    """

  @Test(arguments: ["TLSv1_2", "TLSv1_3"], ["reset", "close"])
  func `a server that breaks off for want of a certificate, and does not say so, may want one`(
    _ version: String, _ manner: String
  ) async throws {
    let folder = try TemporaryFolder()
    let server = try Subprocess(
      ["python3", "-c", Self.silentScript, folder.path, version, manner], isAnnouncing: true)
    defer { server.send(SIGTERM) }
    server.reapOnceEnded()
    let port = try #require(await server.announcement())
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.trust = .authorities(inFile: folder.file("certificate.pem"))
    let backend = WebDAVBackend(
      try HTTPAddress("https://127.0.0.1:\(port)/"), configuration: configuration)
    let error = await failure(backend)
    #expect(error?.code == .unreachable, "\(String(describing: error))")
    #expect(error?.recovery == Remedy.mayNeedCertificate.rawValue, "\(String(describing: error))")
  }

  @Test func `who asks without TLS is not told to show a certificate`() async throws {
    let server = try ScriptedServer { _ in .init(raw: "", closes: true) }
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let error = try await failure(
      WebDAVBackend(HTTPAddress(server.address + "/"), configuration: configuration))
    #expect(error?.code == .unreachable && error?.recovery == Remedy.wait.rawValue)
  }

  @Test(arguments: [(407, Remedy.giveProxyCredentials), (403, .checkProxy)])
  func `a proxy that makes no tunnel is told as one that passes nothing on`(_ status: Int, _ remedy: Remedy)
    async throws
  {
    let proxy = try ScriptedServer { _ in
      .init(status, [("Proxy-Authenticate", "Basic realm=\"p\""), ("Connection", "close")])
    }
    var configuration = HTTPConfiguration()
    configuration.proxy = .address(proxy.address)
    let address = try HTTPAddress("https://server.invalid/")
    let error = await failure(WebDAVBackend(address, configuration: configuration))
    #expect(error?.recovery == remedy.rawValue, "\(String(describing: error))")
    #expect(error?.code == (status == 407 ? .unauthorised : .unreachable))
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
