/// What `documentInfo.plist` tells about a document, under the classic system's keys and two of ours.
public struct DocumentInformation: Hashable, Sendable {
  /// How the change sets of a document are written.
  public enum Format: Hashable, Sendable {
    /// The format of this library, with its version.
    case compact(version: Int)
    /// The format of the classic system, which writes nothing about it.
    case classic
    /// One that this version does not know.
    case unknown(String)
  }

  /// The newest version of the compact format that this library reads and writes.
  public static let compactVersion = 1

  /// The document's identifier.
  public var identifier: String
  /// The document's description, for a person.
  public var description: String
  /// The format of its change sets.
  public var format: Format
  /// Identifier of the client that created it.
  public var originalClient: String
  /// Description of the client that created it.
  public var originalClientDescription: String
  /// What the application adds.
  public var userInformation: [String: String]

  private static let name = "documentInfo.plist"

  private enum Key {
    static let identifier = "kTICDSDocumentIdentifier"
    static let description = "kTICDSDocumentDescription"
    static let userInformation = "kTICDSDocumentUserInfo"
    static let originalClient = "kTICDSOriginalDeviceIdentifier"
    static let originalClientDescription = "kTICDSOriginalDeviceDescription"
    static let format = "TICDSDocumentFormat"
    static let formatVersion = "TICDSDocumentFormatVersion"
  }

  /// Describes a document.
  public init(
    identifier: String, description: String, format: Format = .compact(version: compactVersion),
    originalClient: String, originalClientDescription: String, userInformation: [String: String] = [:]
  ) {
    self.identifier = identifier
    self.description = description
    self.format = format
    self.originalClient = originalClient
    self.originalClientDescription = originalClientDescription
    self.userInformation = userInformation
  }

  /// Reads a file's content.
  ///
  /// - Throws: ``FormatError`` if it is no property list, or names the document or the format in part only.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    let file = try InformationFile(bytes)
    guard let identifier = file.texts[Key.identifier] else {
      throw FormatError(format: Self.name, offset: 0, expected: "the key \(Key.identifier)")
    }
    let format: Format
    switch (file.texts[Key.format], file.texts[Key.formatVersion]) {
    case (nil, nil): format = .classic
    // Whoever writes one of the keys writes both, so the other was damaged.
    case (nil, _): throw FormatError(format: Self.name, offset: 0, expected: "the key \(Key.format)")
    case ("compact", let version):
      guard let version = version.flatMap({ Int($0) }) else {
        throw FormatError(format: Self.name, offset: 0, expected: "a number for the key \(Key.formatVersion)")
      }
      format = .compact(version: version)
    case (let name?, _): format = .unknown(name)
    }
    self.init(
      identifier: identifier, description: file.texts[Key.description] ?? "", format: format,
      originalClient: file.texts[Key.originalClient] ?? "",
      originalClientDescription: file.texts[Key.originalClientDescription] ?? "",
      userInformation: file.groups[Key.userInformation] ?? [:])
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var file = InformationFile()
    file.texts = [
      Key.identifier: identifier, Key.description: description, Key.originalClient: originalClient,
      Key.originalClientDescription: originalClientDescription,
    ]
    switch format {
    case .classic: break
    case .unknown(let name): file.texts[Key.format] = name
    case .compact(let version):
      file.texts[Key.format] = "compact"
      file.texts[Key.formatVersion] = String(version)
    }
    if !userInformation.isEmpty { file.groups[Key.userInformation] = userInformation }
    return file.bytes
  }
}
