import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// What all devices have merged and storage has lost: nobody asks for it, and whoever joins needs it.
@Suite struct NamedEndTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private static let day: UInt64 = 24 * 60 * 60 * 1_000

  /// `a` has written a note that `b` and `c` have, and storage has gone back to before.
  private func lose(isAuthorGone: Bool) async throws {
    for device in [a, b, c] { try await device.register(remote) }
    try a.write("kept", "text")
    for device in [a, b, c] { try await device.sync(remote) }
    let before = remote.copy()
    try a.write("lost", "text")
    for device in [a, b, c] { try await device.sync(remote) }
    remote.restore(before)
    for _ in 0..<3 {
      for device in isAuthorGone ? [b, c] : [b, c, a] { try await device.sync(remote) }
    }
  }

  private func notesOfNewcomer() async throws -> [String] {
    let newcomer = Device("device-new", in: workplace)
    try await newcomer.register(remote)
    try await newcomer.sync(remote)
    return try newcomer.notes
  }

  @Test func `what all have and storage has lost with its author is said again, though nobody asks for it`()
    async throws
  {
    try await lose(isAuthorGone: true)
    #expect(try await notesOfNewcomer() == ["kept: text"])

    for _ in 0..<12 {
      workplace.clock.advance(Self.day)
      for device in [b, c] { try await device.sync(remote) }
    }

    let last = [try await b.sync(remote), try await c.sync(remote)]
    #expect(
      last.map(\.requests) == [1, 1] && last.allSatisfy { $0.findings.isEmpty }, "\(last.map(\.findings))")
    let late = Device("device-late", in: workplace)
    try await late.register(remote)
    try await late.sync(remote)
    #expect(try late.notes == ["kept: text", "lost: text"])
    #expect(try b.notes == late.notes && c.notes == late.notes)
  }

  @Test func `an author who sends again what storage has lost is not retired`() async throws {
    try await lose(isAuthorGone: false)
    let author = try a.author

    for _ in 0..<30 {
      workplace.clock.advance(Self.day)
      for device in [b, c] { try await device.sync(remote) }
    }

    #expect(remote.paths { Supersession($0) }.isEmpty)
    #expect(try a.author == author)
    #expect(try await notesOfNewcomer() == ["kept: text", "lost: text"])
  }
}
