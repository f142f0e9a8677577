import BackendConformance
import Foundation
import Testing

@testable import SyncProtocol

/// A document of many devices that have made many sets each: what it takes to join it, and to find that nothing is new.
@Suite struct CrowdTests {
  private static let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil
  private static let (clients, setsOfEach) = isLong ? (200, 100) : (20, 40)
  private static let notesOfEach = 10

  private let remote = MemoryBackend()
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  /// A device joins and writes, each time into a set of its own, then sends all of them.
  private func join(_ number: Int) async throws -> Device {
    let device = Device("device-\(number)", in: workplace)
    if number == 0 { try await device.register(remote) } else { try await device.begin(remote) }
    try device.writeSets(
      (0..<Self.setsOfEach).map { set in
        ("note \(set % Self.notesOfEach) of \(device.client)", "text \(set)")
      })
    try await device.sync(remote)
    return device
  }

  @Test func `who joins asks for little more than each device's head, and who has everything asks once`()
    async throws
  {
    var last: Device?
    for number in 0..<Self.clients { last = try await join(number) }
    let sets = remote.paths { SetName($0) }.count
    #expect(sets == Self.clients * Self.setsOfEach)

    let counting = CountingBackend(remote)
    let newcomer = Device("newcomer", in: workplace)
    #expect(try await newcomer.begin(counting).store != nil)
    let joined = try await newcomer.sync(counting)
    #expect(
      counting.count.requests <= 10 + 2 * Self.clients + joined.pulledSets,
      "\(counting.count.requests) requests for \(Self.clients) devices, \(joined.pulledSets) sets after the whole store"
    )
    #expect(joined.pulledSets <= 2 * Self.setsOfEach, "\(joined.pulledSets) sets after the whole store")
    #expect(try newcomer.notes.count == Self.clients * Self.notesOfEach)

    for device in [try #require(last), newcomer] {
      // What each device is called is read once, by and by.
      var names = 0
      while case let requests = try await device.sync(remote).requests, requests > 1 {
        names += requests - 1
        try #require(names <= Self.clients)
      }
      #expect(try await device.sync(remote).requests == 1)
    }
  }
}
