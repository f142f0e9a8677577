import ByteFixtures
import Crypto
import Foundation
import TICDSOpenSSL
import Testing

/// Files that must open for ever, written by another implementation from the format pages (`Golden/write.py`).
@Suite struct GoldenFileTests {
  static let pattern = (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7) }
  let key: MasterKey

  init() throws { key = try MasterKey(SecretBytes(copying: Array<UInt8>(0..<32))) }

  private func golden(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  struct Sealed: Sendable, CustomTestStringConvertible {
    let name: String
    let plaintext: [UInt8]
    let logarithm: UInt8
    let context: SealedContext

    var testDescription: String { name }
  }

  static let sealed = [
    Sealed(
      name: "example.sealed", plaintext: Array("TICDS".utf8), logarithm: 8,
      context: SealedContext(role: "example", identity: "documents/1")),
    Sealed(
      name: "empty.sealed", plaintext: [], logarithm: 16,
      context: SealedContext(role: "head", identity: "\u{e4}/\u{f6}")),
    Sealed(
      name: "three-segments.sealed", plaintext: pattern, logarithm: 8,
      context: SealedContext(role: "change-set", identity: "a")),
    Sealed(
      name: "full-segments.sealed", plaintext: Array(pattern[..<512]), logarithm: 8,
      context: SealedContext(role: "change-set", identity: "a")),
  ]

  @Test(arguments: sealed) func `sealed containers open, and are written to the byte`(file: Sealed) throws {
    let container = try golden(file.name)
    let segmentSize = try #require(SegmentSize(logarithm: file.logarithm))
    #expect(try SealedContainer.open(container, as: file.context, with: KeyRing(key)) == file.plaintext)
    let written = try SealedContainer.seal(
      file.plaintext, as: file.context, with: key, segmentSize: segmentSize,
      random: PreparedRandomSource(Array(0x20..<0x40)))
    #expect(written == container)
  }

  @Test func `key files unlock with each of their secrets`() throws {
    let file = try KeyFile(parsing: golden("three-slots.keys"))
    let code = try RecoveryCode(parsing: "G20R-50W4-GP38-F249-HA5R-S3CE-HXV3")
    #expect(file.keyIdentifier == key.identifier)
    #expect(file.slots.map(\.label) == ["desk", "B\u{fc}ro", ""])
    #expect(file.slots.map(\.kind) == [.password, .password, .recoveryCode])
    for unlocked in [
      try file.unlock(password: "correct horse"), try file.unlock(password: "p\u{e4}ss"),
      try file.unlock(recoveryCode: code),
    ] { #expect(unlocked.withUnsafeBytes(Array.init) == Array(0..<32)) }
  }

  @Test func `a key file is written to the byte`() throws {
    let random = PreparedRandomSource(Array(0x40..<0x70))
    let (file, _) = try KeyFile.create(
      password: "correct horse", label: "desk", for: key, parameters: .forTests, random: random)
    #expect(file.bytes == (try golden("example.keys")))
  }

  @Test func `classic containers open`() throws {
    let key = ClassicKey(password: "correct horse", salt: Array(0..<16))
    #expect(try ClassicContainer.open(golden("hello.classic"), with: key) == Array("Hello TICDS".utf8))
  }
}
