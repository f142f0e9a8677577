import ChangeTracking
import Crypto
import Foundation
import TICDSOpenSSL
import Testing

@testable import SyncProtocol

/// Founding records, wrapped keys and names with codes that must be read for ever, written by another implementation from the format page
/// (`Golden/write.py`).
@Suite struct GoldenNameTests {
  private let first: MasterKey
  private let names: [String: String]

  init() throws {
    first = try MasterKey(SecretBytes(copying: Array<UInt8>(0..<32)))
    let text = String(decoding: try Self.golden("names.txt"), as: UTF8.self)
    names = Dictionary(
      uniqueKeysWithValues: text.split(separator: "\n").map { line in
        let parts = line.split(separator: " ")
        return (String(parts[0]), String(parts[1]))
      })
  }

  private static func golden(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private func name(_ key: String) throws -> RemoteName {
    try #require(names[key].flatMap { RemoteName($0) })
  }

  @Test(arguments: ["sealed", "plain"], ["application", "document"])
  func `a founding record`(_ protection: String, _ place: String) throws {
    let key = protection == "sealed" ? first : nil
    let bytes = try Self.golden("\(place)-\(protection).founding")
    let record = try FoundingRecord(bytes, keys: key.map { KeyRing($0) })
    let name = try #require(FoundingName(try name("\(place)-\(protection)")))
    #expect(record.integrityKey == name.integrityKey)
    #expect(record.key == name.key && record.key == key?.identifier)
    #expect(record.application == "com.example.notes" && record.creator == "device-a")
    #expect(record.document == (place == "document" ? "notes" : ""))
    #expect(try record.encoded(with: key) == bytes)
    let authenticator = try NameAuthenticator(keys: key.map { KeyRing($0) })
    let statement =
      place == "document"
      ? DocumentHierarchy.notes.statement(founding: name.integrityKey, key: name.key)
      : DocumentHierarchy.notes.application.statement(founding: name.integrityKey, key: name.key)
    #expect(authenticator.code(statement) == name.code)
  }

  @Test(arguments: ["sealed", "plain"])
  func `a name of each kind among the heads`(_ protection: String) throws {
    let ring = protection == "sealed" ? KeyRing(first) : nil
    let own = try #require(FoundingName(try name("document-\(protection)"))).integrityKey
    let other = try #require(FoundingName(try name("application-\(protection)"))).integrityKey
    let protected = try DocumentProtection(keys: ring, hierarchy: .notes, own: own)
    let elsewhere = try DocumentProtection(keys: ring, hierarchy: .notes, own: other)
    func isGenuine<Name: CodedName>(_ kind: String, _ read: (RemoteName) -> Name?) throws {
      let name = try #require(read(try self.name("\(kind)-\(protection)")), "\(kind)")
      #expect(protected.verifies(name), "\(kind)")
      #expect(!elsewhere.verifies(name), "\(kind)")
    }
    try isGenuine("head") { HeadName($0) }
    try isGenuine("request") { ResendRequest($0) }
    try isGenuine("request-of-value") { ResendRequest($0) }
    try isGenuine("mention") { Mention($0) }
    try isGenuine("absence") { AbsenceName($0) }
    try isGenuine("floor") { HistoryFloor($0) }
    try isGenuine("removal") { RemovalName($0) }
    try isGenuine("renaming") { RenamingName($0) }
    try isGenuine("supersession") { Supersession($0) }
    try isGenuine("whole-store") { WholeStoreName($0) }

    let (author, former) = (AuthorID(bits: 0x0123_4567_89ab_cdef), AuthorID(bits: 0x0011_2233_4455_66ff))
    let set = SetName(sequence: 3, hash: ContentHash(of: Array("set".utf8)))
    let written = [
      protected.mention(author: former, set: set).name: "mention",
      protected.absence(of: former).name: "absence",
      protected.removal(of: former).name: "removal",
      protected.renaming(author: author, time: 1_700_000_000).name: "renaming",
      protected.supersession(author: author, restated: 2, former: former, through: 3).name: "supersession",
    ]
    for (written, kind) in written { #expect(written == (try name("\(kind)-\(protection)")), "\(kind)") }
  }

  @Test(arguments: ["sealed", "plain"])
  func `heads, acceptances and deletions`(_ protection: String) throws {
    let ring = protection == "sealed" ? KeyRing(first) : nil
    let own = try #require(FoundingName(try name("document-\(protection)"))).integrityKey
    let other = try #require(FoundingName(try name("application-\(protection)"))).integrityKey
    let protected = try DocumentProtection(keys: ring, hierarchy: .notes, own: own)
    let head = try #require(HeadName(try name("head-\(protection)")))
    #expect(protected.verifies(head))
    #expect(
      protected.head(author: head.author, sequence: 2, seen: 7, hash: head.hash ?? ContentHash(of: []))
        == head)
    #expect(try !DocumentProtection(keys: ring, hierarchy: .notes, own: other).verifies(head))
    let acceptance = try #require(AcceptanceName(try name("acceptance-\(protection)")))
    #expect(acceptance.founding == own && acceptance.other == other)
    let statement = DocumentHierarchy.notes.statement(founding: own, accepts: other)
    #expect(protected.names.code(statement) == acceptance.code)
    let deletion = try #require(DeletionName(try name("deletion-\(protection)")))
    #expect(deletion.founding == own)
    #expect(protected.names.code(DocumentHierarchy.notes.statement(deleted: own)) == deletion.code)
  }

  @Test func `a wrapped key`() throws {
    let name = try #require(WrappedKeyName(try name("wrapped")))
    let wrapped = KeyExchange.Wrapped(name: name, bytes: try Self.golden("second.wrapped"))
    let ring = KeyExchange.adding([wrapped], to: KeyRing(first), DocumentHierarchy.notes.application)
    let second = try MasterKey(SecretBytes(copying: Array<UInt8>(32..<64)))
    #expect(Set(ring.identifiers) == [first.identifier, second.identifier])
    #expect(ring.primary.identifier == first.identifier)
  }
}
