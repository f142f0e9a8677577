import ByteFixtures
import ChangeTracking
import Testing

@testable import NotebookModel
@testable import SyncProtocol

/// What tells devices of one name apart.
@Suite struct DeviceIdentifierTests {
  private func device(_ author: UInt64, _ client: String?, _ name: String?) -> DocumentDevice {
    DocumentDevice(
      author: AuthorID(bits: author), client: client, name: name, isThisDevice: false, isFormerSelf: false,
      lastSeen: nil, pushed: 0, lacks: nil, presence: .present)
  }

  @Test(arguments: 0..<200)
  func `each beginning means its device alone, and is as short as can be`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let devices = (0..<Int.random(in: 1...12, using: &random)).map { number in
      let client = ["abcdefgh", "abcdefghi", "abcdefghij", "abcdxyzw1", "zyx", nil].randomElement(
        using: &random)
      return device(
        UInt64(64) << UInt64.random(in: 0...40, using: &random) + UInt64(number), client ?? nil,
        ["one", "two", nil].randomElement(using: &random) ?? nil)
    }
    let identifiers = DeviceIdentifiers(devices)

    for device in devices {
      let others = devices.filter { $0.author != device.author }
      let beginning = identifiers.beginning(of: device)
      #expect((beginning != nil) == (device.name != nil && others.contains { $0.name == device.name }))
      guard let beginning, device.author.description != beginning, device.client != beginning else {
        continue
      }
      func isAmbiguous(_ word: some StringProtocol) -> Bool {
        others.contains {
          $0.author.description.hasPrefix(word) || $0.client?.hasPrefix(word) ?? false
        }
      }
      #expect(!isAmbiguous(beginning))
      #expect(beginning.count <= 8 || isAmbiguous(beginning.dropLast()))
    }
  }
}
