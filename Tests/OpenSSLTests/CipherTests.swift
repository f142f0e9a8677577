import TICDSOpenSSL
import ByteFixtures
import Testing

@Suite struct CipherTests {
  struct GCMVector: Sendable {
    let key: String
    let nonce: String
    var plaintext = ""
    var data = ""
    let sealed: String
  }

  /// Test cases 13 to 16 of the GCM specification by McGrew and Viega, which NIST SP 800-38D adopts.
  static let gcm: [GCMVector] = [
    GCMVector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMVector(
      key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
      plaintext: String(repeating: "00", count: 16),
      sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
    GCMVector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
        b16aedf5aa0de657ba637b391aafd255
        """,
      sealed: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
        c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c
        """),
    GCMVector(
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
        b16aedf5aa0de657ba637b39
        """,
      data: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      sealed: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
        c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b
        """),
  ]

  @Test(arguments: gcm) func `AES-256-GCM gives the published ciphertexts and tags`(vector: GCMVector) throws
  {
    var cipher = try AES256GCM(key: SecretBytes(copying: hex(vector.key)))
    let (nonce, data) = (hex(vector.nonce), hex(vector.data))
    // Twice and alternating: one instance serves many messages in both directions.
    for _ in 0..<2 {
      #expect(
        try cipher.seal(hex(vector.plaintext), nonce: nonce, authenticating: data) == hex(vector.sealed))
      #expect(
        try cipher.open(hex(vector.sealed), nonce: nonce, authenticating: data) == hex(vector.plaintext))
    }
  }

  @Test func `AES-256-GCM refuses every changed bit, and opens the next message all the same`() throws {
    var cipher = try AES256GCM(key: .random(count: 32))
    let (nonce, data, plaintext) = (Array<UInt8>(0..<12), Array<UInt8>(5..<9), Array<UInt8>(0..<40))
    let sealed = try cipher.seal(plaintext, nonce: nonce, authenticating: data)
    for bit in 0..<8 * sealed.count {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: OpenSSLError.self) { try cipher.open(changed, nonce: nonce, authenticating: data) }
    }
    for (nonce, data) in [(Array<UInt8>(1..<13), data), (nonce, []), (nonce, [5, 6, 7])] {
      let error = #expect(throws: OpenSSLError.self) {
        try cipher.open(sealed, nonce: nonce, authenticating: data)
      }
      #expect(error?.code == .authenticationFailed)
    }
    #expect(try cipher.open(sealed, nonce: nonce, authenticating: data) == plaintext)
  }

  @Test func `AES-256-GCM refuses keys, nonces and messages of a wrong size`() throws {
    for size in [0, 16, 31, 33] {
      #expect(throws: OpenSSLError.self) { _ = try AES256GCM(key: SecretBytes(count: size) { _ in }) }
    }
    var cipher = try AES256GCM(key: .random(count: 32))
    for size in [0, 11, 13] {
      #expect(throws: OpenSSLError.self) {
        try cipher.seal([1], nonce: [UInt8](repeating: 0, count: size), authenticating: [])
      }
    }
    for size in 0..<16 {
      #expect(throws: OpenSSLError.self) {
        try cipher.open(Array(repeating: 0, count: size), nonce: Array(0..<12), authenticating: [])
      }
    }
  }

  /// NIST SP 800-38A, F.2.5.
  static let cbcKey = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
  static let cbcPlaintext = """
    6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
    30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
    """
  static let cbcCiphertext = """
    f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
    39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b
    """

  @Test func `AES-256-CBC gives the published ciphertext`() throws {
    let key = SecretBytes(copying: hex(Self.cbcKey))
    let vector = Array<UInt8>(0..<16)
    #expect(
      try AES256CBC.process(
        hex(Self.cbcPlaintext), .encrypt, key: key, initializationVector: vector, padding: false)
        == hex(Self.cbcCiphertext))
    #expect(
      try AES256CBC.process(
        hex(Self.cbcCiphertext), .decrypt, key: key, initializationVector: vector, padding: false)
        == hex(Self.cbcPlaintext))
  }

  @Test(arguments: 0...65) func `AES-256-CBC with padding gives a message back, however it is cut`(size: Int)
    throws
  {
    let (key, vector) = (try SecretBytes.random(count: 32), try SecureRandom.bytes(count: 16))
    let message = Array<UInt8>(0..<UInt8(size))
    let sealed = try AES256CBC.process(
      message, .encrypt, key: key, initializationVector: vector, padding: true)
    #expect(sealed.count == (size / 16 + 1) * 16)
    for cut in stride(from: 0, through: sealed.count, by: 5) {
      var cipher = try AES256CBC(.decrypt, key: key, initializationVector: vector, padding: true)
      var opened: [UInt8] = []
      try sealed.withUnsafeBytes {
        try cipher.update(UnsafeRawBufferPointer(rebasing: $0[..<cut]), appendingTo: &opened)
        try cipher.update(UnsafeRawBufferPointer(rebasing: $0[cut...]), appendingTo: &opened)
      }
      try cipher.finish(appendingTo: &opened)
      #expect(opened == message)
    }
  }

  @Test func `AES-256-CBC refuses a message that is no whole number of blocks`() throws {
    let key = try SecretBytes.random(count: 32)
    for (padding, direction) in [(false, AES256CBC.Direction.encrypt), (false, .decrypt), (true, .decrypt)] {
      let error = #expect(throws: OpenSSLError.self) {
        try AES256CBC.process(
          Array(0..<17), direction, key: key, initializationVector: Array(0..<16), padding: padding)
      }
      #expect(error?.code == .invalidPadding)
    }
  }
}
