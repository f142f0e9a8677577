import SyncProtocol

/// What tells devices of one name apart: the beginning of the client's identifier or, where that is the same, of the author's.
struct DeviceIdentifiers {
  /// Shorter words are names, or mistakes.
  private static let shortest = 4
  private static let length = 8

  private let devices: [DocumentDevice]

  init(_ devices: [DocumentDevice]) { self.devices = devices }

  /// The beginning of a device's identifier, long enough to mean no other; `nil` if its name does already.
  func beginning(of device: DocumentDevice) -> String? {
    let others = devices.filter { $0 != device }
    guard let name = device.name, others.contains(where: { $0.name == name }) else { return nil }
    let isItself = others.contains { $0.client == device.client }
    let whole = isItself ? device.author.description : device.client ?? device.author.description
    var length = Self.length
    while length < whole.count,
      others.contains(where: { Self.begins($0, with: String(whole.prefix(length))) })
    {
      length += 1
    }
    return String(whole.prefix(length))
  }

  /// Whether the identifier of a device, or of its author, begins with a word.
  static func begins(_ device: DocumentDevice, with word: String) -> Bool {
    word.count >= shortest
      && (device.author.description.hasPrefix(word) || device.client?.hasPrefix(word) ?? false)
  }
}
