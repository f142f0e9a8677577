import ChangeTracking
import Testing

@testable import SyncProtocol

@Suite struct NameTests {
  private let hash = ContentHash(of: [1, 2, 3])
  private let author = AuthorID(bits: 0x0123_4567_89ab_cdef)

  @Test func `the name of a set says sequence and hash`() throws {
    let name = SetName(sequence: 42, hash: hash)
    #expect(name.name.description == "0000000042-\(hash).set")
    #expect(SetName(name.name) == name)
  }

  @Test func `the name of a head says author, sequence, seen, hash and code, and is never too long`() throws {
    let name = HeadName(author: author, sequence: 42, seen: 7, hash: hash)
    #expect(
      name.name.description == "0123456789abcdef.0000000042.0000000007.\(hash).00000000000000000000.head")
    #expect(HeadName(name.name) == name)
    #expect(name.name.description.utf8.count <= RemoteName.byteLimit)
  }

  @Test func `an author without sets has a head without a hash`() throws {
    let name = HeadName(author: author, sequence: 0, seen: 7, hash: hash)
    #expect(name.hash == nil)
    #expect(HeadName(name.name) == name)
  }

  @Test(arguments: [
    "0000000042.set", "42-00000000000000000000000000000000.set",
    "0000000000-00000000000000000000000000000000.set",
    "000000004x-00000000000000000000000000000000.set", "0000000042-0000000000000000000000000000000.set",
    "0000000042-00000000000000000000000000000000.SET", "_000000042-00000000000000000000000000000000.set",
    "0000000042-0000000000000000000000000000000A.set", "0000000042-00000000000000000000000000000000-1.set",
  ])
  func `what is nearly the name of a set is foreign`(_ text: String) throws {
    #expect(SetName(try #require(RemoteName(text))) == nil)
  }

  @Test(arguments: [
    "0123456789abcdef.0000000042.0000000007.head",
    "0123456789abcdef.0000000042.0000000007.11111111111111111111111111111111.head",
    "0123456789abcdeF.0000000042.0000000007.11111111111111111111111111111111.11111111111111111111.head",
    "0123456789abcdef.0000000000.0000000007.11111111111111111111111111111111.11111111111111111111.head",
    "0123456789abcdef.0000000001.0000000007.00000000000000000000000000000000.11111111111111111111.head",
    "0123456789abcdef.0000000001.0000000007.11111111111111111111111111111111.1111111111111111111g.head",
    "0123456789abcdef.0000000001.0000000007.11111111111111111111111111111111.11111111111111111111.head.1",
  ])
  func `what is nearly the name of a head is foreign`(_ text: String) throws {
    #expect(HeadName(try #require(RemoteName(text))) == nil)
  }

  @Test(arguments: [
    "", ".", "..", ".a", "a.", "a/b", "a b", "ä", String(repeating: "a", count: 101), "a\u{0}",
  ])
  func `a name outside the grammar is refused`(_ text: String) {
    #expect(RemoteName(text) == nil)
  }

  @Test(arguments: ["/a", "a/", "a//b", "../a", "a/../b", "a/./b"])
  func `a path that is not made of names is refused`(_ text: String) {
    #expect(RemotePath(text) == nil)
  }

  @Test func `the newest head has the greatest sequence, then has seen most`() {
    let heads = [
      HeadName(author: author, sequence: 2, seen: 9, hash: hash),
      HeadName(author: author, sequence: 10, seen: 1, hash: hash),
      HeadName(author: author, sequence: 10, seen: 0, hash: ContentHash(of: [])),
    ]
    let listing = HeadListing(heads)
    #expect(listing.newest(of: author) == heads[1])
    #expect(listing.siblings(of: author) == [heads[2]])
  }
}
