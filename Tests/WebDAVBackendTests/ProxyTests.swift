import TICDSHTTP
import SyncProtocol
import Testing
import WebDAVBackend

/// What goes through a proxy, which alone knows the host that is asked.
@Suite struct ProxyTests {
  private func backend(_ proxy: String) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    configuration.proxy = .address(proxy)
    configuration.allowsPlainCredentials = true
    return WebDAVBackend(
      try HTTPAddress("http://files.example/dav/"), credentials: .password(user: "me", password: "geheim"),
      configuration: configuration)
  }

  @Test func `a proxy that is named is asked for everything, and gets its own password and not the server's`()
    async throws
  {
    let proxy = try ScriptedServer { request in
      guard request.fields["proxy-authorization"] == "Basic cDpx" else {
        return .init(407, [("Proxy-Authenticate", "Basic realm=\"p\"")])
      }
      return .listing("/dav/")
    }

    #expect(
      try await backend(proxy.address.replacing("http://", with: "http://p:q@")).list(.root)
        == RemoteListing())

    #expect(proxy.requests.allSatisfy { $0.path == "http://files.example/dav/" })
    #expect(proxy.requests.allSatisfy { $0.fields["authorization"] == nil })
  }

  @Test func `a proxy that asks who it is is told as such`() async throws {
    let proxy = try ScriptedServer { _ in .init(407, [("Proxy-Authenticate", "Basic realm=\"p\"")]) }
    let error = await #expect(throws: BackendError.self) { try await backend(proxy.address).list(.root) }
    #expect(error?.code == .unauthorised && error?.recovery == Remedy.giveProxyCredentials.rawValue)
    #expect(proxy.requests.allSatisfy { $0.fields["authorization"] == nil })
  }
}
