import Crypto
import TICDSOpenSSL
import Testing

/// Keys that replace others, and several versions of one key file.
@Suite struct KeyGenerationTests {
  private let cost = Scrypt.Parameters(cost: 2, blockSize: 1, parallelization: 1)

  @Test func `a key that replaces others says so by its bytes alone, wherever they were kept`() throws {
    var ring = KeyRing(try MasterKey.generate())
    #expect(ring.newest.generation == 0)
    for generation in 1...255 {
      let key = try MasterKey.generate(replacing: ring)
      let kept = try MasterKey(key.withUnsafeBytes { SecretBytes(copying: Array($0)) })
      #expect(kept.generation == generation && kept.identifier == key.identifier)
      ring = KeyRing(ring.primary, others: [key])
    }
    #expect(throws: CryptoError.self) { try MasterKey.generate(replacing: ring) }
    #expect(ring.sealingWithNewest.primary.generation == 255)
    #expect(ring.sealingWithNewest.all.count == 2)
  }

  @Test func `of keys of one generation the one that seals goes on sealing`() throws {
    let first = KeyRing(try MasterKey.generate())
    let (one, two) = (try MasterKey.generate(replacing: first), try MasterKey.generate(replacing: first))
    for (own, other) in [(one, two), (two, one)] {
      #expect(KeyRing(own, others: [first.primary, other]).newest.identifier == own.identifier)
    }
    #expect(one.identifier != two.identifier)
  }

  @Test func `versions of a key file become one with each slot once, but for those that were withdrawn`()
    throws
  {
    let (file, key) = try KeyFile.create(password: "one", parameters: cost)
    let a = try file.addingPassword("two", with: key, parameters: cost)
    let b = try file.addingRecoveryCode(with: key, parameters: cost)
    let all = try #require(try KeyFile.combining([a, b.file], without: [], with: key))
    #expect(all.slots.count == 3)
    let slot = try all.open("one").slot
    let rest = try #require(try KeyFile.combining([a, b.file], without: [slot], with: key))
    #expect(throws: CryptoError.self) { try rest.open("one") }
    #expect(try rest.open("two").key.identifier == key.identifier)
    #expect(try rest.open(b.code.text).key.identifier == key.identifier)
    #expect(try KeyFile.combining([file], without: [slot], with: key) == nil)
  }

  @Test func `a file of another key, or one that was changed without it, is not combined`() throws {
    let (file, key) = try KeyFile.create(password: "one", parameters: cost)
    let other = try KeyFile.create(password: "one", parameters: cost)
    #expect(throws: CryptoError.self) { try KeyFile.combining([file, other.file], without: [], with: key) }
  }
}
