import ChangeTracking
import Crypto
import TICDSOpenSSL

/// What the founder of an application's part of a remote, or of a document, wrote down: the last file of every creation.
///
/// Never changed. Its integrity key is the hash of what it says, so whoever knows that key knows the record. `Docs/Formats/RemoteHierarchy.md`,
/// “Founding records”.
public struct FoundingRecord: Hashable, Sendable {
  /// Greatest size of a record's file in bytes.
  public static let sizeLimit = 8 << 10
  /// The format that a document's sets have; empty for an application.
  public static let compact = "compact"

  /// The master key that the founder sealed with; `nil` without encryption.
  public var key: KeyIdentifier?
  /// 16 random bytes, so that no two foundings are alike.
  public var nonce: [UInt8]
  /// When, by the founder's clock: milliseconds since 1970.
  public var time: UInt64
  /// The application's identifier.
  public var application: String
  /// The document's identifier; empty for the application itself.
  public var document: String
  /// The format of the document's sets; empty for the application itself.
  public var format: String
  /// The version of that format.
  public var formatVersion: UInt16
  /// Identifier of the client that founded.
  public var creator: String

  static let magic: [UInt8] = Array("TICDSFR".utf8) + [version]
  private static let version: UInt8 = 1
  private static let formatName = "founding record"
  private static let textLimit = 1_024
  private static let nonceSize = 16
  private static let codeSize = AuthenticationKey.codeSize
  private static let purpose = "TICDS founding record v1"

  /// What the code at the end is computed over, and the hash of which is the integrity key.
  private var body: [UInt8] {
    var bytes = Self.magic
    bytes.append(key == nil ? 0 : 1)
    bytes += key?.bytes ?? [UInt8](repeating: 0, count: KeyIdentifier.size)
    bytes += nonce
    withUnsafeBytes(of: time.bigEndian) { bytes += $0 }
    for text in [application, document, format] { Self.append(text, to: &bytes) }
    withUnsafeBytes(of: formatVersion.bigEndian) { bytes += $0 }
    Self.append(creator, to: &bytes)
    return bytes
  }

  /// Whether this version reads documents of that format.
  package var isReadable: Bool {
    format == Self.compact && formatVersion <= UInt16(DocumentInformation.compactVersion)
  }

  /// What tells this founding from every other.
  public var integrityKey: IntegrityKey { IntegrityKey(ContentHash(of: body)) }

  /// The file's bytes.
  ///
  /// - Parameter key: the master key that the record names; `nil` without encryption.
  package func encoded(with key: MasterKey?) throws(CryptoError) -> [UInt8] {
    body + (try Self.code(of: body, with: key))
  }

  /// Reads a file's bytes and checks them with the key that they name.
  ///
  /// - Throws: ``FormatError``, or `CryptoError` with `unknownKey` if that key is not at hand.
  package init(_ bytes: [UInt8], keys: KeyRing?) throws {
    var reader = RecordReader(bytes, format: Self.formatName)
    guard bytes.count <= Self.sizeLimit else { throw reader.failure("at most \(Self.sizeLimit) bytes") }
    guard try reader.array(Self.magic.count, "magic") == Self.magic else {
      throw reader.failure("the bytes of a founding record, version \(Self.version)")
    }
    let isSealed = try reader.byte("whether there is a key")
    let identifier = KeyIdentifier(bytes: try reader.array(KeyIdentifier.size, "key identifier"))
    guard isSealed <= 1 else { throw reader.failure("0 or 1") }
    // One record has one file: what it says must not be told in other bytes, under another integrity key.
    guard isSealed == 1 || identifier?.bytes.allSatisfy({ $0 == 0 }) == true else {
      throw reader.failure("zeros in place of the key, for there is none")
    }
    key = isSealed == 1 ? identifier : nil
    nonce = try reader.array(Self.nonceSize, "nonce")
    time = try reader.integer("time")
    application = try reader.text("application", limit: Self.textLimit)
    document = try reader.text("document", limit: Self.textLimit)
    format = try reader.text("format", limit: Self.textLimit)
    formatVersion = try reader.integer("version of the format")
    creator = try reader.text("creator", limit: Self.textLimit)
    let body = Array(bytes[..<reader.position])
    let code = try reader.array(Self.codeSize, "code")
    guard reader.position == bytes.count else { throw reader.failure("the end of the file") }
    let master = try key.map { (identifier: KeyIdentifier) throws(CryptoError) -> MasterKey in
      guard let master = keys?[identifier] else {
        throw CryptoError(.unknownKey, "the record names key \(identifier), which is not at hand")
      }
      return master
    }
    guard try Self.isCode(code, of: body, with: master) else {
      throw FormatError(
        format: Self.formatName, offset: body.count, expected: "the code of somebody who has the key")
    }
  }

  init(
    key: KeyIdentifier?, time: UInt64, application: String, document: String = "", format: String = "",
    formatVersion: UInt16 = 0, creator: String, nonce: [UInt8]
  ) {
    self.key = key
    self.nonce = nonce
    self.time = time
    self.application = application
    self.document = document
    self.format = format
    self.formatVersion = formatVersion
    self.creator = creator
  }

  /// Draws the random bytes of a record.
  static func nonce(using random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private static func code(of body: [UInt8], with key: MasterKey?) throws(CryptoError) -> [UInt8] {
    guard let key else { return SHA256.hash(body).bytes }
    return try key.authenticationKey(purpose: purpose).code(of: body)
  }

  private static func isCode(_ code: [UInt8], of body: [UInt8], with key: MasterKey?) throws(CryptoError)
    -> Bool
  {
    guard let key else { return code == SHA256.hash(body).bytes }
    return try key.authenticationKey(purpose: purpose).isCode(code, of: body)
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let text = Array(text.utf8.prefix(textLimit))
    withUnsafeBytes(of: UInt16(text.count).bigEndian) { bytes += $0 }
    bytes += text
  }
}
