import TICDSOpenSSL
import ByteFixtures
import Testing

@Suite struct DigestTests {
  /// FIPS 180-4 examples.
  static let sha256: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]

  @Test(arguments: sha256) func `SHA-256 gives the published digests`(message: String, digest: String) {
    #expect(SHA256.hash(Array(message.utf8)).bytes == hex(digest))
    #expect(SHA256.hash(Array(message.utf8)).description == digest)
  }

  @Test func `a message gives the same digest however it is cut`() {
    let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let whole = SHA256.hash(message)
    var hash = SHA256()
    for cut in 0...message.count {
      hash.update(Array(message[..<cut]))
      hash.update(Array(message[cut...]))
      #expect(hash.finalize() == whole)
    }
  }

  @Test func `digests are ordered as their bytes are`() throws {
    let digests = (0..<200).map { SHA256.hash([UInt8($0)]) }
    #expect(digests.sorted().map(\.bytes) == digests.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) })
    let first = try #require(digests.first)
    #expect(SHA256.Digest(bytes: first.bytes) == first)
    #expect(SHA256.Digest(bytes: first.bytes.dropLast()) == nil)
  }

  @Test func `hashing on many threads at once gives what one thread gives`() async {
    let messages = (0..<64).map { Array(repeating: UInt8($0), count: $0 * 9) }
    let expected = messages.map { SHA256.hash($0) }
    await withTaskGroup(of: [SHA256.Digest].self) { group in
      for _ in 0..<8 { group.addTask { messages.map { SHA256.hash($0) } } }
      for await digests in group { #expect(digests == expected) }
    }
  }

  @Test func `SHA-512 gives the published digest`() {
    let digest = """
      ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
      """
    #expect(SHA512.hash(Array("abc".utf8)) == hex(digest))
  }

  /// RFC 4231, test cases 1, 2, 3, 6 and 7.
  static let hmac: [(key: [UInt8], message: [UInt8], code: String)] = [
    (
      Array(repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      Array(repeating: 0xaa, count: 20), Array(repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      Array(repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      Array(repeating: 0xaa, count: 131),
      Array(
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
          .utf8),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
  ]

  @Test(arguments: hmac) func `HMAC gives the published codes`(key: [UInt8], message: [UInt8], code: String) {
    let key = SecretBytes(copying: key)
    #expect(HMACSHA256.authenticate(message, key: key) == hex(code))
    var pieces = HMACSHA256(key: key)
    for byte in message { pieces.update([byte]) }
    #expect(pieces.finalize() == hex(code))
  }

  @Test func `HMAC accepts an empty key and an empty message`() {
    #expect(
      HMACSHA256.authenticate([], key: SecretBytes(copying: []))
        == hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }
}
