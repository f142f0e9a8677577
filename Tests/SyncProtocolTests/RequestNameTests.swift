import ChangeTracking
import Testing

@testable import SyncProtocol

@Suite struct RequestNameTests {
  private let a = AuthorID(bits: 1)
  private let b = AuthorID(bits: .max)
  private let hash = ContentHash(of: [1, 2, 3])

  @Test func `requests, mentions and supersessions are read back from their names`() throws {
    let code = try #require(NameCode("0123456789abcdef0123"))
    let set = ResendRequest(asker: a, subject: .set(author: b, sequence: 12), count: 3, code: code)
    let value = ResendRequest(asker: a, subject: .value(hash), count: 9_999, code: code)
    let supersession = Supersession(author: a, restated: 4, former: b, through: 17, code: code)
    let mention = Mention(author: a, set: SetName(sequence: 7, hash: hash), code: code)
    #expect(Mention(mention.name) == mention)
    #expect(ResendRequest(set.name) == set)
    #expect(ResendRequest(value.name) == value)
    #expect(Supersession(supersession.name) == supersession)
    for name in [set.name, value.name, supersession.name, mention.name] {
      #expect(RemoteName(name.description) == name)
    }
  }

  @Test(arguments: [
    "0000000000000001.ffffffffffffffff.0000000000.0001.0123456789abcdef0123.resend",
    "0000000000000001.ffffffffffffffff.0000000012.0000.0123456789abcdef0123.resend",
    "0000000000000001.ffffffffffffffff.0000000012.+001.0123456789abcdef0123.resend",
    "0000000000000001.0000000012.0001.0123456789abcdef0123.resend",
    "0000000000000001.ffffffffffffffff.0000000012.0001.resend",
    "0000000000000001.ffffffffffffffff.0000000012.0001.0123456789ABCDEF0123.resend",
    "0000000000000001.ffffffffffffffff.0000000012.0001.0123456789abcdef0123.resend-value", ".0001.resend",
    "0000000000000001.0000000004.0000000000000001.0000000017.0123456789abcdef0123.supersedes",
    "0000000000000001.0000000004.ffffffffffffffff.0000000017.supersedes", "a.b.c.d.e.supersedes",
  ])
  func `other names are foreign`(_ text: String) throws {
    guard let name = RemoteName(text) else { return }
    #expect(ResendRequest(name) == nil)
    #expect(Supersession(name) == nil)
    #expect(Mention(name) == nil)
  }

  @Test func `what a supersession says comes back from its bytes`() throws {
    let sets = (1...3).map { SetName(sequence: $0, hash: hash) }
    let content = Supersession.Content(chain: hash, sets: sets)
    #expect(try Supersession.Content(content.bytes) == content)
    for bytes in [
      [], [UInt8](repeating: 0, count: 24), content.bytes + [0], Array(content.bytes.dropLast()),
      Supersession.Content(chain: hash, sets: [SetName(sequence: 0, hash: hash)]).bytes,
    ] {
      #expect(throws: FormatError.self) { try Supersession.Content(bytes) }
    }
  }
}
