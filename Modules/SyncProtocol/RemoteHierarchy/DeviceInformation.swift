/// What `deviceInfo.plist` tells about a client, under the classic system's keys.
public struct DeviceInformation: Hashable, Sendable {
  /// The client's identifier.
  public var identifier: String
  /// The client's description, for a person.
  public var description: String
  /// What the application adds.
  public var userInformation: [String: String]

  private static let identifierKey = "kTICDSClientDeviceIdentifier"
  private static let descriptionKey = "kTICDSClientDeviceDescription"
  private static let userInformationKey = "kTICDSClientDeviceUserInfo"

  /// Describes a client.
  public init(identifier: String, description: String, userInformation: [String: String] = [:]) {
    self.identifier = identifier
    self.description = description
    self.userInformation = userInformation
  }

  /// Reads a file's content.
  ///
  /// - Throws: ``FormatError`` if it is no property list, or does not name the client.
  public init(_ bytes: [UInt8]) throws(FormatError) {
    let file = try InformationFile(bytes)
    guard let identifier = file.texts[Self.identifierKey] else {
      throw FormatError(format: "deviceInfo.plist", offset: 0, expected: "the key \(Self.identifierKey)")
    }
    self.init(
      identifier: identifier, description: file.texts[Self.descriptionKey] ?? "",
      userInformation: file.groups[Self.userInformationKey] ?? [:])
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var file = InformationFile()
    file.texts = [Self.identifierKey: identifier, Self.descriptionKey: description]
    if !userInformation.isEmpty { file.groups[Self.userInformationKey] = userInformation }
    return file.bytes
  }
}
