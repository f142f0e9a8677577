import ByteFixtures
import Crypto
import TICDSOpenSSL
import Testing

@Suite struct KeyFileTamperingTests {
  let bytes: [UInt8]

  init() throws {
    let random = SeededRandomSource(seed: 11)
    let (file, key) = try KeyFile.create(password: "a", label: "x", parameters: .forTests, random: random)
    bytes = try file.addingPassword("b", with: key, parameters: .forTests, random: random).bytes
  }

  /// The bytes with a fresh checksum, as somebody without the key could make it.
  private func resealed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var content = Array(bytes.dropLast(32))
    change(&content)
    return content + SHA256.hash(content).bytes
  }

  private func failure(_ bytes: [UInt8], limits: KeyFile.Limits = .standard) -> CryptoError.Code? {
    do throws(CryptoError) {
      _ = try KeyFile(parsing: bytes, limits: limits).unlock(password: "b")
      return nil
    } catch { return error.code }
  }

  @Test func `the untouched file unlocks`() {
    #expect(failure(bytes) == nil)
    #expect(failure(resealed { _ in }) == nil)
  }

  @Test func `every changed byte is damage, never a wrong password`() {
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x11
      let expected: CryptoError.Code =
        switch index {
        case 0..<8: .unrecognizedFormat
        case 8: .unsupportedVersion
        default: .damaged
        }
      #expect(failure(changed) == expected, "byte \(index)")
    }
  }

  @Test func `every truncation and extension is noticed`() {
    #expect(failure([]) == .unrecognizedFormat)
    for count in 1..<bytes.count {
      let code = failure(Array(bytes[..<count]))
      #expect(code == .truncated || code == .damaged, "\(count) bytes")
    }
    #expect(failure(bytes + [0]) == .damaged)
    #expect(failure(bytes + [UInt8](repeating: 0, count: 5_000)) == .limitExceeded)
  }

  @Test func `every byte changed by somebody who mends the checksum is noticed as well`() {
    for index in 0..<bytes.count - 32 {
      #expect(failure(resealed { $0[index] ^= 1 }) != nil, "byte \(index)")
    }
  }

  @Test func `another slot changed behind the owner's back is noticed when unlocking`() {
    // Byte 18 is in the first slot's identifier; the second slot opens.
    #expect(failure(resealed { $0[18] ^= 1 }) == .damaged)
  }

  /// Where the first slot has its kind and scrypt parameters.
  static let (kind, cost, blockSize, parallelization) = (34, 35, 36, 37)

  static let greedyParameters: [(index: Int, value: UInt8)] = [
    (cost, 0), (cost, 21), (cost, 63), (cost, 64), (cost, 255), (blockSize, 0), (blockSize, 33),
    (blockSize, 255),
    (parallelization, 0), (parallelization, 17), (parallelization, 255),
  ]

  @Test(arguments: greedyParameters)
  func `parameters that would exhaust the machine are refused before any work`(index: Int, value: UInt8) {
    #expect(failure(resealed { $0[index] = value }) == .limitExceeded)
  }

  @Test func `memory and work in sum are limited`() {
    // N 2^20 and r 8 is permitted in itself, but takes 1 GiB.
    let greedy = resealed { ($0[Self.cost], $0[Self.blockSize]) = (20, 8) }
    #expect(failure(greedy) == .limitExceeded)
    // N 2^20, r 1, p 16 takes little memory, but long.
    let slow = resealed { ($0[Self.cost], $0[Self.blockSize], $0[Self.parallelization]) = (20, 1, 16) }
    #expect(failure(slow, limits: KeyFile.Limits(memory: .max, work: 1 << 23)) == .limitExceeded)
  }

  @Test(arguments: [0, 17, 255]) func `a number of slots that is not permitted is damage`(count: UInt8) {
    #expect(failure(resealed { $0[9] = count }) == .damaged)
  }

  @Test func `too few and too many slots for the bytes are found`() {
    #expect(failure(resealed { $0[9] = 1 }) == .damaged)
    #expect(failure(resealed { $0[9] = 3 }) != nil)
  }

  @Test(arguments: [0, 3, 255]) func `an unknown kind of slot is damage`(kind: UInt8) {
    #expect(failure(resealed { $0[Self.kind] = kind }) == .damaged)
  }

  @Test func `a label that is too long or no UTF-8 is damage`() {
    let label = 38 + 32
    #expect(failure(resealed { $0[label] = 65 }) == .damaged)
    #expect(failure(resealed { $0[label + 1] = 0xff }) == .damaged)
  }

  @Test func `a slot that is there twice is damage`() {
    let size = 16 + 4 + 32 + 1 + 48
    let doubled = resealed { content in
      let second = content[(18 + size + 1)..<(18 + 2 * size + 1)]
      content[9] = 3
      content.insert(contentsOf: second, at: 18 + 2 * size + 1)
    }
    #expect(failure(doubled) == .damaged)
  }

  @Test func `parameters that no file can hold are refused when writing`() {
    for parameters in [
      Scrypt.Parameters(cost: 3, blockSize: 8, parallelization: 1),
      Scrypt.Parameters(cost: 1 << 21, blockSize: 1, parallelization: 1),
      Scrypt.Parameters(cost: 2, blockSize: 256, parallelization: 1),
    ] {
      let error = #expect(throws: CryptoError.self) {
        try KeyFile.create(password: "a", parameters: parameters)
      }
      #expect(error?.code == .invalidArgument)
    }
    let error = #expect(throws: CryptoError.self) {
      try KeyFile.create(password: "a", label: String(repeating: "l", count: 65), parameters: .forTests)
    }
    #expect(error?.code == .invalidArgument)
  }
}
