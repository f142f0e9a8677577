import BackendConformance
import Testing

@testable import SyncProtocol

/// What lies on the remote of a document that lives for long.
@Suite struct RemoteGrowthTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, _): (Device, Device, Device)

  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  private static let notes = 20
  private static let setsOfDay = 10

  init() throws {
    workplace = try Workplace()
    (a, b, _) = workplace.devices()
  }

  /// What lies there after the vacuum of a day.
  private struct Content {
    var files: Int
    var bytes: Int
    /// Bytes of the largest whole store.
    var store: Int
  }

  private var content: Content {
    let files = remote.files
    let stores = files.filter { $0.key.name.flatMap { WholeStoreName($0) } != nil }
    return Content(
      files: files.count, bytes: files.values.reduce(0) { $0 + $1.count },
      store: stores.values.map(\.count).max() ?? 0)
  }

  /// Both devices change the same notes in turn, and one vacuums each day.
  private func live(days: Int, _ policy: WholeStorePolicy) async throws -> [Content] {
    var options = SyncOptions()
    options.wholeStores = policy
    var contents: [Content] = []
    for day in 0..<days {
      for number in day * Self.setsOfDay..<(day + 1) * Self.setsOfDay {
        let (writer, reader) = number.isMultiple(of: 2) ? (a, b) : (b, a)
        try writer.write("note \(number * 7 % Self.notes)", "text \(number)")
        for device in [writer, reader] { try await device.sync(remote, options) }
      }
      workplace.clock.advance(Self.day)
      try await a.manager(remote).vacuum(VacuumPolicy(), dryRun: false, options)
      contents.append(content)
    }
    return contents
  }

  @Test
  func `while a document lives on, what lies there grows neither in files nor beyond three whole stores`()
    async throws
  {
    let policy = WholeStorePolicy(sets: 10)
    for device in [a, b] { try await device.register(remote) }
    let contents = try await live(days: 25, policy)
    // The sets after the older of two whole stores, for which devices wait a quarter longer at most, those of the day that a removal
    // is announced before, and some files of the document and the devices.
    let bound = 2 * Int(policy.sets + policy.sets / 4 + 1) + Self.setsOfDay + 16
    for (day, content) in contents.enumerated().dropFirst(5) {
      #expect(content.files <= bound, "day \(day)")
      #expect(content.bytes <= 3 * content.store, "day \(day)")
    }
    #expect(try a.notes == b.notes && a.notes.count == Self.notes)
  }
}
