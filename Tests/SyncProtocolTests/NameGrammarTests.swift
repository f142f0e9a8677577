import Testing

@testable import SyncProtocol

@Suite struct NameGrammarTests {
  @Test(arguments: [
    "Shopping list", "na\u{EF}ve", "100%", "trailing.", "a", "\u{65E5}\u{8A18}",
    String(repeating: "n", count: 255),
  ])
  func `classic remotes have names that ours have not`(_ name: String) {
    #expect(RemoteName(name, .classic)?.description == name)
    #expect(name == "a" || RemoteName(name) == nil)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "a/b", "a\\b", "nul\u{0}", "line\nend", String(repeating: "n", count: 256),
  ])
  func `no grammar admits what leads elsewhere or cannot be shown`(_ name: String) {
    #expect(RemoteName(name, .classic) == nil)
    #expect(RemoteName(name, .portable) == nil)
  }

  @Test func `two forms of one character are two names`() throws {
    let composed = try #require(RemoteName("na\u{EF}ve", .classic))
    let decomposed = try #require(RemoteName("nai\u{308}ve", .classic))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(decomposed < composed || composed < decomposed)
  }
}
