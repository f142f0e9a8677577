import Foundation
import TICDSHTTP
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing
import WebDAVBackend

/// A certificate of this client says who it is, as a password does, and is for the server that was named.
@Suite struct ClientCertificateTests {
  /// A request that came over a connection.
  private struct Seen: Hashable {
    let server: Int
    let hasShownCertificate: Bool
  }

  @Test(arguments: [301, 302, 307, 308])
  func `a certificate is shown to the server that was named, and to none that it redirects to`(_ status: Int)
    async throws
  {
    let folder = try TemporaryFolder()
    let script = Checkout.root.appending(path: "Tests/WebDAVBackendTests/certificates.py").path
    let servers = try Subprocess(["python3", script, folder.path, "\(status)"], isAnnouncing: true)
    servers.reapOnceEnded()
    defer { servers.send(SIGTERM) }
    let ports = try #require(await servers.announcement()).split(separator: " ").compactMap { Int($0) }
    try #require(ports.count == 2)
    func backend(_ port: Int) throws -> WebDAVBackend {
      var configuration = HTTPConfiguration()
      configuration.proxy = .none
      configuration.trust = .authorities(inFile: folder.file("authority.pem"))
      configuration.clientCertificate = .init(
        certificateFile: folder.file("client.pem"), keyFile: folder.file("client.key"))
      return WebDAVBackend(try HTTPAddress("https://127.0.0.1:\(port)/dav/"), configuration: configuration)
    }
    func seen() throws -> Set<Seen> {
      let log = URL(filePath: folder.file("log"))
      defer { try? FileManager.default.removeItem(at: log) }
      return Set(
        try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map { line in
          Seen(server: line.first == "1" ? 1 : 2, hasShownCertificate: line.last == "1")
        })
    }

    // Whoever is asked under its own name sees it, so the test would notice.
    #expect(try await backend(ports[1]).list(.root) == RemoteListing())
    #expect(try seen() == [Seen(server: 2, hasShownCertificate: true)])

    // The second time, a redirection for good is remembered.
    let redirected = try backend(ports[0])
    for _ in 0..<2 { #expect(try await redirected.list(.root) == RemoteListing()) }
    #expect(
      try seen() == [
        Seen(server: 1, hasShownCertificate: true), Seen(server: 2, hasShownCertificate: false),
      ])
  }
}
