import Crypto
import TICDSOpenSSL
import Testing

@Suite struct AuthenticationKeyTests {
  private let master: MasterKey

  init() throws { master = try MasterKey(SecretBytes(copying: Array<UInt8>(0..<32))) }

  @Test func `a code is that of its message, key and purpose`() throws {
    let key = try master.authenticationKey(purpose: "one")
    let code = key.code(of: [1, 2, 3])
    #expect(code.count == AuthenticationKey.codeSize)
    #expect(key.isCode(code, of: [1, 2, 3]))
    #expect(!key.isCode(Array(code.prefix(10)), of: [1, 2, 3]))
    #expect(!key.isCode([], of: [1, 2, 3]))
    #expect(!key.isCode(code, of: [1, 2, 4]))
    #expect(try !master.authenticationKey(purpose: "two").isCode(code, of: [1, 2, 3]))
    #expect(try !MasterKey.generate().authenticationKey(purpose: "one").isCode(code, of: [1, 2, 3]))
  }

  @Test func `nothing of the key is printed`() throws {
    let key = try master.authenticationKey(purpose: "one")
    #expect("\(key)" == "AuthenticationKey")
    #expect(Mirror(reflecting: key).children.isEmpty)
  }

  @Test(arguments: ["", "83f4bbbc3fa3a6c", "83f4bbbc3fa3a6c66", "83F4BBBC3FA3A6C6", "+3f4bbbc3fa3a6c6"])
  func `what is nearly a key identifier is none`(_ text: String) {
    #expect(KeyIdentifier(digits: text) == nil)
  }

  @Test func `a key identifier comes back from its digits`() throws {
    #expect(KeyIdentifier(digits: master.identifier.description) == master.identifier)
  }
}
