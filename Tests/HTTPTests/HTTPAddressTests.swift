import Testing

@testable import TICDSHTTP

@Suite struct HTTPAddressTests {
  @Test func `an address has a scheme, a host, a port and a path`() throws {
    let address = try HTTPAddress("https://Cloud.Example:8443/remote.php/dav/")
    #expect(address.scheme == .https && address.host == "cloud.example" && address.port == 8443)
    #expect(address.path == "/remote.php/dav/")
    #expect("\(try HTTPAddress("http://[::1]:80"))" == "http://[::1]/")
  }

  @Test(arguments: [
    "ftp://host/", "//host/", "http://", "http://user@host/", "http://user:secret@host/", "http://host:0/",
    "http://host:65536/", "http://host:port/", "http://ho st/", "http://host/%zz", "http://host/%4",
    "http://[::1/", "http://host/\u{1}",
  ])
  func `what is no address is refused without repeating it`(_ text: String) {
    let refusal = #expect(throws: HTTPAddress.Refusal.self) { try HTTPAddress(text) }
    #expect(refusal?.description.contains("secret") == false)
  }

  @Test func `what must be encoded becomes so, and what is encoded stays`() throws {
    #expect(try HTTPAddress("http://h/a b/%41/ü").path == "/a%20b/%41/%C3%BC")
  }

  @Test(arguments: [
    ("/c", "http://h/c"), ("c", "http://h/a/c"), ("../c", "http://h/c"), ("//k/c", "http://k/c"),
    ("https://k:1/c?q=1", "https://k:1/c?q=1"), ("/a/./b/../c/", "http://h/a/c/"), ("/../../c", "http://h/c"),
  ])
  func `a reference is seen from the address that it stands in`(_ reference: String, _ expected: String)
    throws
  {
    #expect(try HTTPAddress("http://h/a/b").resolving(reference).description == expected)
  }

  @Test func `a destination moves along with what is redirected`() throws {
    let old = try HTTPAddress("http://h/dav/f/one")
    let destination = try HTTPAddress("http://h/dav/f/two")
    let carried = try old.carrying(destination, to: HTTPAddress("https://k/new/f/one"))
    #expect(carried?.description == "https://k/new/f/two")
    #expect(try old.carrying(destination, to: HTTPAddress("https://k/new/other")) == nil)
    #expect(try old.carrying(destination, to: HTTPAddress("https://k/new/xone")) == nil)
  }
}
