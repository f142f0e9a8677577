/// What the file of a deleted document tells, for people.
public struct DeletionInformation: Hashable, Sendable {
  /// The document's identifier.
  public var document: String
  /// The document's description.
  public var description: String
  /// What people call the device that deleted it.
  public var deviceName: String
  /// When, in milliseconds since 1970 by that device's clock.
  public var time: UInt64

  private enum Key {
    static let document = "kTICDSDocumentIdentifier"
    static let description = "kTICDSDocumentDescription"
    static let deviceName = "kTICDSClientDeviceDescription"
    static let time = "TICDSDeletionTime"
  }

  init(document: String, description: String, deviceName: String, time: UInt64) {
    self.document = document
    self.description = description
    self.deviceName = deviceName
    self.time = time
  }

  /// Reads a file's content.
  ///
  /// - Throws: ``FormatError`` if it is no property list, or does not name the document.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    let file = try InformationFile(bytes)
    guard let document = file.texts[Key.document] else {
      throw FormatError(format: "deletion of a document", offset: 0, expected: "the key \(Key.document)")
    }
    self.init(
      document: document, description: file.texts[Key.description] ?? "",
      deviceName: file.texts[Key.deviceName] ?? "", time: file.texts[Key.time].flatMap { UInt64($0) } ?? 0)
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var file = InformationFile()
    file.texts = [
      Key.document: document, Key.description: description, Key.deviceName: deviceName,
      Key.time: String(time),
    ]
    return file.bytes
  }
}
