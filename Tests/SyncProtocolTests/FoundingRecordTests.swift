import Crypto
import TICDSOpenSSL
import Testing

@testable import SyncProtocol

/// The file that names who founded.
@Suite struct FoundingRecordTests {
  private func record(_ key: KeyIdentifier?) -> FoundingRecord {
    var random = SystemRandomNumberGenerator()
    return FoundingRecord(
      key: key, time: 7, application: "app", document: "doc", format: "compact", formatVersion: 1,
      creator: "me",
      nonce: FoundingRecord.nonce(using: &random))
  }

  @Test(arguments: [true, false])
  func `a record comes back as it was written, and is refused if anything was changed`(_ isSealed: Bool)
    throws
  {
    let key = isSealed ? try MasterKey.generate() : nil
    let ring = key.map { KeyRing($0) }
    let record = record(key?.identifier)
    let bytes = try record.encoded(with: key)
    #expect(try FoundingRecord(bytes, keys: ring) == record)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: (any Error).self) { try FoundingRecord(changed, keys: ring) }
      #expect(throws: (any Error).self) { try FoundingRecord(Array(bytes[..<index]), keys: ring) }
    }
    #expect(throws: FormatError.self) { try FoundingRecord(bytes + [0], keys: ring) }
  }

  @Test func `a record without a key that names one all the same is refused`() throws {
    let plain = try record(nil).encoded(with: nil)
    var body = Array(plain.dropLast(32))
    body[FoundingRecord.magic.count + 2] = 0x36
    let checked = body + SHA256.hash(body).bytes

    #expect(throws: FormatError.self) { try FoundingRecord(checked, keys: nil) }
  }

  @Test func `the names of foundings, acceptances and keys come back as they were written`() throws {
    let key = try MasterKey.generate()
    let (one, two) = (record(key.identifier).integrityKey, record(nil).integrityKey)
    let code = try NameAuthenticator(keys: KeyRing(key)).code(["x"])
    for founding in [
      FoundingName(one, key: key.identifier, code: code), FoundingName(two, key: nil, code: code),
    ] {
      #expect(FoundingName(founding.name) == founding)
    }
    let acceptance = AcceptanceName(one, accepts: two, code: code)
    #expect(AcceptanceName(acceptance.name) == acceptance)
    #expect(acceptance.name.description.utf8.count <= RemoteName.byteLimit)
    let wrapped = WrappedKeyName(key.identifier, wrapping: try MasterKey.generate().identifier)
    #expect(WrappedKeyName(wrapped.name) == wrapped)
    var random = SystemRandomNumberGenerator()
    let file = KeyFileName(key.identifier, using: &random)
    #expect(KeyFileName(file.name) == file)
  }
}
