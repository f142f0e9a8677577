/// What the note of a device's removal tells, for people.
public struct RemovalInformation: Hashable, Sendable {
  /// Identifier of the client that was removed; empty if it was not known.
  public var client: String
  /// What people called it; empty if that was not known.
  public var name: String
  /// What people call the device that removed it; empty if that is not known.
  public var remover: String
  /// When, in milliseconds since 1970 by that device's clock.
  public var time: UInt64

  private enum Key {
    static let client = "kTICDSClientDeviceIdentifier"
    static let name = "kTICDSClientDeviceDescription"
    static let remover = "TICDSRemovingDeviceDescription"
    static let time = "TICDSRemovalTime"
  }

  package init(client: String, name: String, remover: String, time: UInt64) {
    self.client = client
    self.name = name
    self.remover = remover
    self.time = time
  }

  /// Reads a file's content.
  ///
  /// - Throws: ``FormatError`` if it is no property list, or does not say when the device was removed.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    let file = try InformationFile(bytes)
    guard let time = file.texts[Key.time].flatMap({ UInt64($0) }) else {
      throw FormatError(format: "removal of a device", offset: 0, expected: "the key \(Key.time)")
    }
    self.init(
      client: file.texts[Key.client] ?? "", name: file.texts[Key.name] ?? "",
      remover: file.texts[Key.remover] ?? "", time: time)
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var file = InformationFile()
    file.texts = [Key.client: client, Key.name: name, Key.remover: remover, Key.time: String(time)]
    return file.bytes
  }
}
