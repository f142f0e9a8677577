import ByteFixtures
import Crypto
import TICDSOpenSSL
import Testing

@Suite struct ClassicContainerTests {
  static let salt = Array<UInt8>(0x00...0x0f)
  static let header = """
    101112131415161718191a1b1c1d1e1f\
    96a7d5158a039dacde80bfd5aea6be1e1123ddc3cc7538bc106dac0ad3b19b89b9d258471612660072d67952e387ee2d
    """
  let key = ClassicKey(password: "correct horse", salt: salt)

  @Test(arguments: [
    ("correct horse", "a04c9d2f0eaa9bbfa0ec2e4039fec1bd5ee63c2c12baebe958a3782c3d72a479"),
    ("p\u{e4}ss", "6ed19575c1d7d4ffb2eaf379f7c54dda5612e7bfd954bf3830119c2a999f5fd3"),
    ("\u{1F511}", "6e8f56d8ccbaf8df9482e676c2e1553e6d7c0fdc9d367b69e18b520ba6c7e615"),
  ])
  func `keys are derived as FZACryptor does`(password: String, expected: String) {
    #expect(ClassicKey(password: password, salt: Self.salt).withUnsafeBytes(Array.init) == hex(expected))
  }

  static let containers: [(plaintext: [UInt8], container: String)] = [
    (
      Array("Hello TICDS".utf8),
      header + "2df3602e509a9f98e25665698f723bcb"
        + "2b9b5e67d6fac08f3dcb369b0566cdc334539bbf599c694905618852193d1a28"
    ),
    (
      [UInt8](repeating: 0, count: 16),
      header + "9ec9dccea9f5b126ba1e7678d3832943e74358bf98bf4a7d9b1d6df4ddfe8dd6"
        + "5e4c7d18c1f480b1520ba0cb287bfa2bf712377df49cde21a816744e9757aa86"
    ),
    (
      [],
      header + "44ab3ad852f55729908bb4f377f639fb"
        + "acedc939b362013fa99b9416c6d23055a070520bfe3c0a19669e68e597bd2570"
    ),
  ]

  @Test(arguments: containers)
  func `containers are FZACryptor's, byte for byte`(plaintext: [UInt8], container: String) throws {
    let random = PreparedRandomSource(Array(0x10...0x4f))
    #expect(try ClassicContainer.seal(plaintext, with: key, random: random) == hex(container))
    #expect(try ClassicContainer.open(hex(container), with: key) == plaintext)
  }

  @Test(arguments: 0...70) func `what was sealed opens`(size: Int) throws {
    let plaintext = (0..<size).map { UInt8($0) }
    let container = try ClassicContainer.seal(plaintext, with: key)
    #expect(container.count == 112 + size / 16 * 16)
    #expect(try ClassicContainer.open(container, with: key) == plaintext)
  }

  @Test func `every changed byte is refused`() throws {
    let container = hex(Self.containers[0].container)
    for index in container.indices {
      var changed = container
      changed[index] ^= 1
      let error = #expect(throws: CryptoError.self) { try ClassicContainer.open(changed, with: key) }
      #expect(error?.code == .authenticationFailed)
    }
  }

  @Test func `every length that no container has is refused`() throws {
    let container = try ClassicContainer.seal([UInt8](repeating: 1, count: 100), with: key)
    for count in container.indices {
      let error = #expect(throws: CryptoError.self) {
        try ClassicContainer.open(Array(container[..<count]), with: key)
      }
      let expected: CryptoError.Code =
        count < 112 ? .truncated : count % 16 == 0 ? .authenticationFailed : .damaged
      #expect(error?.code == expected, "\(count) bytes")
    }
    #expect(throws: CryptoError.self) { try ClassicContainer.open(container + [0], with: key) }
  }

  @Test func `another key is refused`() throws {
    let container = try ClassicContainer.seal([1, 2, 3], with: key)
    let other = ClassicKey(password: "correct horse ", salt: Self.salt)
    let error = #expect(throws: CryptoError.self) { try ClassicContainer.open(container, with: other) }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func `content without padding is damage, although its code is genuine`() throws {
    // Given a container whose last block decrypts to noise, authenticated by somebody with the key
    var content = Array(hex(Self.containers[0].container).dropLast(32))
    content[content.count - 1] ^= 1
    let secret = SecretBytes(copying: key.withUnsafeBytes(Array.init))
    let container = content + HMACSHA256.authenticate(content, key: secret)

    let error = #expect(throws: CryptoError.self) { try ClassicContainer.open(container, with: key) }
    #expect(error?.code == .damaged)
  }

  @Test func `a kept key is the same key`() throws {
    let kept = try ClassicKey(SecretBytes(copying: key.withUnsafeBytes(Array.init)))
    #expect(
      try ClassicContainer.open(hex(Self.containers[0].container), with: kept) == Array("Hello TICDS".utf8))
    #expect(throws: CryptoError.self) { try ClassicKey(SecretBytes(copying: [1])) }
    #expect("\(kept)" == "ClassicKey")
  }
}
