import Testing

@testable import TICDSHTTP

@Suite struct ProxyTests {
  @Test func `a proxy stands between where one is named for the scheme`() {
    let environment = HTTPConfiguration.Proxy.environment
    #expect(!environment.isGiven(for: .http, environment: [:]))
    #expect(!environment.isGiven(for: .http, environment: ["http_proxy": "", "https_proxy": "p"]))
    #expect(environment.isGiven(for: .http, environment: ["http_proxy": "p"]))
    #expect(environment.isGiven(for: .https, environment: ["HTTPS_PROXY": "p"]))
    #expect(environment.isGiven(for: .http, environment: ["all_proxy": "p"]))
    #expect(!HTTPConfiguration.Proxy.none.isGiven(for: .http, environment: ["http_proxy": "p"]))
    #expect(HTTPConfiguration.Proxy.address("p").isGiven(for: .http, environment: [:]))
  }
}
