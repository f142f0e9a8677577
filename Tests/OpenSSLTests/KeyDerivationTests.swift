import TICDSOpenSSL
import ByteFixtures
import Testing

@Suite struct KeyDerivationTests {
  /// RFC 5869, appendix A.1 to A.3.
  static let hkdf: [(key: [UInt8], salt: [UInt8], info: [UInt8], derived: String)] = [
    (
      Array(repeating: 0x0b, count: 22), Array(0x00...0x0c), Array(0xf0...0xf9),
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      Array(0x00...0x4f), Array(0x60...0xaf), Array(0xb0...0xff),
      """
      b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
      da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
      """
    ),
    (
      Array(repeating: 0x0b, count: 22), [], [],
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ]

  @Test(arguments: hkdf)
  func `HKDF gives the published keys`(key: [UInt8], salt: [UInt8], info: [UInt8], derived: String) throws {
    let expected = hex(derived)
    let key = try HKDF.deriveKey(
      from: SecretBytes(copying: key), salt: salt, info: info, count: expected.count)
    #expect(key.withUnsafeBytes(Array.init) == expected)
  }

  @Test(arguments: [0, -1, HKDF.maximumCount + 1])
  func `HKDF refuses a length it cannot give`(count: Int) {
    let error = #expect(throws: OpenSSLError.self) {
      try HKDF.deriveKey(from: SecretBytes(copying: [1]), salt: [], info: [], count: count)
    }
    #expect(error?.code == .invalidArgument)
  }

  /// RFC 7914, section 12, without the last, which takes 1 GiB.
  static let scrypt: [(password: String, salt: String, parameters: Scrypt.Parameters, key: String)] = [
    (
      "", "", .init(cost: 16, blockSize: 1, parallelization: 1),
      """
      77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
      fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
      """
    ),
    (
      "password", "NaCl", .init(cost: 1024, blockSize: 8, parallelization: 16),
      """
      fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
      2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
      """
    ),
    (
      "pleaseletmein", "SodiumChloride", .init(cost: 16384, blockSize: 8, parallelization: 1),
      """
      7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
      d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
      """
    ),
  ]

  @Test(arguments: scrypt)
  func `scrypt gives the published keys`(
    password: String, salt: String, parameters: Scrypt.Parameters, key: String
  ) throws {
    let derived = try Scrypt.deriveKey(
      from: SecretBytes(copying: password.utf8), salt: Array(salt.utf8), parameters: parameters, count: 64)
    #expect(derived.withUnsafeBytes(Array.init) == hex(key))
  }

  @Test(arguments: [
    (0, 8, 1), (1, 8, 1), (3, 8, 1), (16, 0, 1), (16, 8, 0), (16, 1 << 30, 1), (16, 8, 1 << 30),
  ])
  func `scrypt refuses parameters that the standard forbids`(N: UInt64, r: UInt64, p: UInt64) {
    let error = #expect(throws: OpenSSLError.self) {
      try Scrypt.deriveKey(
        from: SecretBytes(copying: [1]), salt: [],
        parameters: .init(cost: N, blockSize: r, parallelization: p))
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [(1 << 20, 8, 1), (1 << 62, 8, 1), (1 << 63, 1 << 29, 1)])
  func `scrypt refuses more memory than it is given`(N: UInt64, r: UInt64, p: UInt64) {
    let error = #expect(throws: OpenSSLError.self) {
      try Scrypt.deriveKey(
        from: SecretBytes(copying: [1]), salt: [],
        parameters: .init(cost: N, blockSize: r, parallelization: p), memoryLimit: 64 << 20)
    }
    #expect(error?.code == .memoryLimitExceeded)
  }
}
