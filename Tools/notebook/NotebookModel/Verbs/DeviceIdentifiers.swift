import ChangeTracking
import Foundation
import SyncProtocol

/// What tells devices of one name apart: the beginning of the client's identifier or, where that is the same, of the author's.
struct DeviceIdentifiers {
  /// Shorter words are names, or mistakes.
  private static let shortest = 4
  private static let length = 8

  private let countByName: [String: Int]
  private let countByClient: [String?: Int]
  /// The identifiers of all clients and authors in order, each with the device whose it is: whoever can write to the remote makes
  /// thousands.
  private let words: [(text: String, author: AuthorID)]

  init(_ devices: [DocumentDevice]) {
    countByName = Dictionary(devices.compactMap(\.name).map { ($0, 1) }, uniquingKeysWith: +)
    countByClient = Dictionary(devices.map { ($0.client, 1) }, uniquingKeysWith: +)
    words = devices.flatMap { device in
      [device.author.description, device.client].compactMap(\.self).map { ($0, device.author) }
    }.sorted { $0.0 < $1.0 }
  }

  /// The beginning of a device's identifier, long enough to mean no other; `nil` if its name does already.
  func beginning(of device: DocumentDevice) -> String? {
    guard let name = device.name, countByName[name, default: 0] > 1 else { return nil }
    let isItself = countByClient[device.client, default: 0] > 1
    let whole = isItself ? device.author.description : device.client ?? device.author.description
    return String(whole.prefix(max(Self.length, shared(whole, device.author) + 1)))
  }

  /// How many characters a word has in common with one of another device, at most: in order, its neighbours have most.
  private func shared(_ word: String, _ author: AuthorID) -> Int {
    var (low, high) = (0, words.count)
    while low < high {
      let middle = (low + high) / 2
      if words[middle].text < word { low = middle + 1 } else { high = middle }
    }
    let neighbours = [
      words[..<low].last { $0.author != author }, words[low...].first { $0.author != author },
    ]
    return neighbours.compactMap { $0?.text.commonPrefix(with: word).count }.max() ?? 0
  }

  /// Whether the identifier of a device, or of its author, begins with a word.
  static func begins(_ device: DocumentDevice, with word: String) -> Bool {
    word.count >= shortest
      && (device.author.description.hasPrefix(word) || device.client?.hasPrefix(word) ?? false)
  }
}
