import Foundation
import Locking
import ObjectStore
import SyncProtocol

/// What lies on the remote after years in which two devices change the same objects again and again, one of which vacuums each day.
enum GrowthScenario {
  private static let objects = 1_000
  private static let editsOfSync = 10
  private static let syncsOfDay = 10
  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  /// - Parameter scale: 1 is 100,000 changes.
  static func run(scale: Double) async throws -> [Measure] {
    let clock = Locked<UInt64>(1_700_000_000_000)
    let remote = try SyncedFolder(now: { clock.withLock { $0 } })
    let first = try await SyncedDevice("first", remote) { try SyncedModel.add(0..<objects, to: $0) }
    try await first.document.synchronize()
    let second = try await SyncedDevice(joining: remote, as: "second", with: first.encryption)
    let devices = [first, second]
    for device in devices { device.store.recordChanges() }
    let contexts = try devices.map { try $0.store.newContext() }
    let books = try contexts.map { try $0.fetch(Book.self) }
    var most = 0
    let days = max(3, Int(100_000 * scale) / (editsOfSync * syncsOfDay))
    for day in 0..<days {
      for sync in 0..<syncsOfDay {
        let writer = sync % devices.count
        for edit in 0..<editsOfSync {
          let number = (day * syncsOfDay + sync) * editsOfSync + edit
          books[writer][(number &* 7_919) % objects].title = "Title \(number)"
        }
        try contexts[writer].save()
        for device in devices { try await device.document.synchronize() }
      }
      clock.withLock { $0 += Self.day }
      try await first.document.vacuum()
      most = max(most, try remote.content().files)
    }
    let content = try remote.content()
    let store = try await first.document.uploadStore()
    return [
      Measure("growth_files", Double(content.files), "files on the remote after \(days) days"),
      Measure("growth_most_files", Double(most), "files on the remote after the vacuum of a day, at most"),
      Measure(
        "growth_ratio", Double(content.bytes) / Double(max(1, store.size ?? 0)),
        "times a whole store on the remote"),
    ]
  }
}
