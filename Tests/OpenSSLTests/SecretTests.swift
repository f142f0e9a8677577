import TICDSOpenSSL
import Testing

@Suite struct SecretTests {
  @Test func `a secret shows its size and nothing else`() {
    let secret = SecretBytes(copying: Array("hunter2".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("104")) }
    #expect("\(secret)" == "SecretBytes(7 bytes)")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test func `secrets are equal if their bytes are`() {
    let secret = SecretBytes(copying: [1, 2, 3])
    #expect(secret == SecretBytes(copying: [1, 2, 3]))
    #expect(secret != SecretBytes(copying: [1, 2, 4]))
    #expect(secret != SecretBytes(copying: [1, 2]))
    #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
  }

  @Test func `an erased array holds zeros`() {
    var bytes: [UInt8] = [1, 2, 3]
    SecretBytes.erase(&bytes)
    #expect(bytes == [0, 0, 0])
  }

  @Test func `random bytes have the asked size and do not repeat`() throws {
    var seen: Set<[UInt8]> = []
    for _ in 0..<100 { seen.insert(try SecureRandom.bytes(count: 16)) }
    #expect(seen.count == 100)
    #expect(try SecureRandom.bytes(count: 0).isEmpty)
    #expect(try SecretBytes.random(count: 32) != SecretBytes(count: 32) { _ in })
  }

  @Test(arguments: [([], [], true), ([1], [1], true), ([1], [2], false), ([1], [1, 2], false)])
  func `a comparison in constant time answers as equality does`(left: [UInt8], right: [UInt8], equal: Bool) {
    #expect(ConstantTime.areEqual(left, right) == equal)
  }
}
