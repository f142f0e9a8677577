import Crypto
import TICDSOpenSSL
import ByteFixtures
import Testing

@Suite struct SealedContainerTests {
  let context = SealedContext(role: "change-set", identity: "documents/7/changes/3")
  let random = SeededRandomSource(seed: 1)
  static let smallest = SegmentSize(logarithm: 8)

  @Test(arguments: [0, 1, 15, 16, 17, 255, 256, 257, 511, 512, 513, 767, 768, 769, 5_000])
  func `what was sealed opens, whole or in pieces`(size: Int) throws {
    let segmentSize = try #require(Self.smallest)
    let key = try MasterKey.generate()
    var generator = SeededGenerator(seed: UInt64(size))
    let plaintext = generator.bytes(size)

    let sealed = try SealedContainer.seal(plaintext, as: context, with: key, segmentSize: segmentSize)

    #expect(sealed.count == 52 + size + 16 * max(1, (size + 255) / 256))
    #expect(try SealedContainer.open(sealed, as: context, with: KeyRing(key)) == plaintext)
    for piece in [1, 7, 51, 52, 53, 272, 273, 10_000] {
      #expect(try readInPieces(sealed, of: piece, with: KeyRing(key)) == plaintext)
    }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
  func `the standard segment size holds at its bounds`(size: Int) throws {
    let key = try MasterKey.generate()
    let plaintext = [UInt8](repeating: 5, count: size)
    let sealed = try SealedContainer.seal(plaintext, as: context, with: key)
    #expect(try SealedContainer.open(sealed, as: context, with: KeyRing(key)) == plaintext)
  }

  @Test func `a stream writes what sealing in memory writes, however it is cut`() throws {
    let segmentSize = try #require(Self.smallest)
    let key = try MasterKey.generate(random: random)
    for size in [0, 1, 256, 257, 512, 1_000] {
      let plaintext = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let whole = try SealedContainer.seal(
        plaintext, as: context, with: key, segmentSize: segmentSize, random: SeededRandomSource(seed: 9))
      for piece in [1, 100, 256, 257, 2_000] {
        var writer = try SealedWriter(
          as: context, with: key, segmentSize: segmentSize, random: SeededRandomSource(seed: 9))
        var output: [UInt8] = []
        for start in stride(from: 0, to: size, by: piece) {
          try writer.update(Array(plaintext[start..<min(start + piece, size)]), appendingTo: &output)
        }
        try writer.finish(appendingTo: &output)
        #expect(output == whole)
      }
    }
  }

  @Test func `two containers of the same content share no salt and no ciphertext`() throws {
    let key = try MasterKey.generate()
    let plaintext = [UInt8](repeating: 0, count: 64)
    let containers = try (0..<2).map { _ in try SealedContainer.seal(plaintext, as: context, with: key) }
    #expect(containers[0][..<20] == containers[1][..<20])
    #expect(containers[0][20..<52] != containers[1][20..<52])
    #expect(containers[0][52...] != containers[1][52...])
  }

  @Test func `the header names the key, and a ring finds it`() throws {
    let (old, new, stranger) = (try MasterKey.generate(), try MasterKey.generate(), try MasterKey.generate())
    let ring = KeyRing(old).replacingPrimary(with: new)
    let sealed = try SealedContainer.seal([1, 2, 3], as: context, with: old)

    #expect(ring.primary.identifier == new.identifier)
    #expect(Set(ring.identifiers) == [old.identifier, new.identifier])
    #expect(SealedContainer.isSealed(sealed))
    #expect(!SealedContainer.isSealed([]))
    #expect(try SealedContainer.keyIdentifier(of: Array(sealed[..<52])) == old.identifier)
    #expect(try SealedContainer.open(sealed, as: context, with: ring) == [1, 2, 3])
    let error = #expect(throws: CryptoError.self) {
      try SealedContainer.open(sealed, as: context, with: KeyRing(new, stranger))
    }
    #expect(error?.code == .unknownKey)
  }

  @Test(arguments: [
    SealedContext(role: "change-set", identity: "documents/7/changes/4"),
    SealedContext(role: "head", identity: "documents/7/changes/3"),
    SealedContext(role: "change-se", identity: "tdocuments/7/changes/3"),
    SealedContext(role: "change-set", identity: ""),
  ])
  func `a container opens in no other context`(other: SealedContext) throws {
    let key = try MasterKey.generate()
    let sealed = try SealedContainer.seal([1, 2, 3], as: context, with: key)
    let error = #expect(throws: CryptoError.self) {
      try SealedContainer.open(sealed, as: other, with: KeyRing(key))
    }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `a context that cannot be bound is refused before anything is written`() throws {
    let key = try MasterKey.generate()
    for context in [
      SealedContext(role: "", identity: "x"),
      SealedContext(role: .init(rawValue: String(repeating: "r", count: 256)), identity: "x"),
      SealedContext(role: "r", identity: String(repeating: "x", count: 4_097)),
    ] {
      let error = #expect(throws: CryptoError.self) { try SealedContainer.seal([], as: context, with: key) }
      #expect(error?.code == .invalidArgument)
    }
    let longest = SealedContext(
      role: .init(rawValue: String(repeating: "r", count: 255)),
      identity: String(repeating: "x", count: 4_096))
    let sealed = try SealedContainer.seal([7], as: longest, with: key)
    #expect(try SealedContainer.open(sealed, as: longest, with: KeyRing(key)) == [7])
  }

  @Test func `without entropy nothing is sealed`() throws {
    let key = try MasterKey.generate()
    #expect(throws: CryptoError.self) {
      try SealedContainer.seal([1], as: context, with: key, random: NoEntropy())
    }
    #expect(throws: CryptoError.self) { try MasterKey.generate(random: NoEntropy()) }
  }

  private func readInPieces(_ sealed: [UInt8], of size: Int, with keys: KeyRing) throws -> [UInt8] {
    var reader = SealedReader(as: context, with: keys)
    var output: [UInt8] = []
    for start in stride(from: 0, to: sealed.count, by: size) {
      try reader.update(Array(sealed[start..<min(start + size, sealed.count)]), appendingTo: &output)
    }
    try reader.finish(appendingTo: &output)
    return output
  }
}
