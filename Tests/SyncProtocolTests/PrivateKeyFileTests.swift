import Crypto
import Foundation
import TemporaryFolders
import Testing

@testable import SyncProtocol

@Suite struct PrivateKeyFileTests {
  private let folder: TemporaryFolder
  private let file: PrivateKeyFile

  init() throws {
    folder = try TemporaryFolder()
    file = PrivateKeyFile(path: folder.file("keys"))
  }

  @Test func `keys come back, the one that seals first`() throws {
    let ring = KeyRing(try .generate(), try .generate(), try .generate())
    try file.save(ring)
    let loaded = try #require(try file.load())
    #expect(loaded.primary.identifier == ring.primary.identifier)
    #expect(Set(loaded.identifiers) == Set(ring.identifiers))
    let context = SealedContext(role: "test", identity: "")
    let sealed = try SealedContainer.seal([1, 2, 3], as: context, with: ring.primary)
    #expect(try SealedContainer.open(sealed, as: context, with: loaded) == [1, 2, 3])
  }

  @Test func `other keys take their place, and stay private`() throws {
    try file.save(KeyRing(try .generate()))
    let ring = KeyRing(try .generate(), try .generate())
    try file.save(ring)
    #expect(try file.load()?.all.map(\.identifier) == ring.all.map(\.identifier))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["keys"])
  }

  @Test(arguments: [("", 0), ("\n", 1), ("0", 2), ("g", 64), ("0", 63), ("\n", 70_000)])
  func `a damaged file is a failure that names it`(character: String, count: Int) throws {
    let text = String(repeating: character, count: count)
    try Data(text.utf8).write(to: URL(filePath: file.path))
    let failure = #expect(throws: SyncError.self) { try file.load() }
    #expect(failure?.code == .keysDamaged)
    #expect(failure?.subject == file.path)
  }

  @Test func `no file is no failure`() throws {
    #expect(try file.load() == nil)
  }

  @Test func `what cannot be read or written is a failure that names the file`() throws {
    let elsewhere = PrivateKeyFile(path: folder.file("absent/keys"))
    #expect(throws: SyncError.self) { try elsewhere.save(KeyRing(try .generate())) }
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    let failure = #expect(throws: SyncError.self) { try file.load() }
    #expect(failure?.code == .keysUnreadable)
    #expect(failure?.subject == file.path)
    #expect(throws: SyncError.self) { try file.save(KeyRing(try .generate())) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["keys"])
  }
}
