import ByteFixtures
import Crypto
import TICDSOpenSSL
import Testing

/// What the fuzz targets do at length, for a moment and with fixed seeds: no input makes a decoder trap, and what is
/// accepted is what was written.
@Suite struct MutationTests {
  private func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &generator)
      case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.removeLast(bytes.count - place)
      case 3: bytes.insert(contentsOf: generator.bytes(Int.random(in: 1...40, using: &generator)), at: place)
      default: bytes.removeSubrange(place..<min(bytes.count, place + 17))
      }
    }
    return bytes
  }

  @Test(arguments: 0..<20) func `no mutated sealed container opens`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let segmentSize = try #require(SegmentSize(logarithm: 8))
    let key = try MasterKey.generate(random: SeededRandomSource(seed: seed))
    let context = SealedContext(role: "test", identity: "a")
    let plaintext = generator.bytes(Int.random(in: 0...900, using: &generator))
    let container = try SealedContainer.seal(plaintext, as: context, with: key, segmentSize: segmentSize)
    for _ in 0..<200 {
      let mutated = mutate(container, &generator)
      if let opened = try? SealedContainer.open(mutated, as: context, with: KeyRing(key)) {
        #expect(mutated == container && opened == plaintext)
      }
    }
  }

  @Test(arguments: 0..<20) func `no mutated classic container opens`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let key = ClassicKey(password: "a", salt: [])
    let plaintext = generator.bytes(Int.random(in: 0...300, using: &generator))
    let container = try ClassicContainer.seal(plaintext, with: key)
    for _ in 0..<200 {
      let mutated = mutate(container, &generator)
      if let opened = try? ClassicContainer.open(mutated, with: key) {
        #expect(mutated == container && opened == plaintext)
      }
    }
  }

  @Test(arguments: 0..<20) func `no mutated key file unlocks, whether its checksum is mended or not`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let (created, key) = try KeyFile.create(password: "a", label: "label", parameters: .forTests)
    let file = try created.addingRecoveryCode(with: key, parameters: .forTests).file
    let limits = KeyFile.Limits(memory: 1 << 20, work: 1 << 12)
    for round in 0..<200 {
      var mutated = mutate(file.bytes, &generator)
      if round % 2 == 0, mutated.count > 32 {
        let content = Array(mutated.dropLast(32))
        mutated = content + SHA256.hash(content).bytes
      }
      if (try? KeyFile(parsing: mutated, limits: limits).unlock(password: "a")) != nil {
        #expect(mutated == file.bytes)
      }
    }
  }
}
