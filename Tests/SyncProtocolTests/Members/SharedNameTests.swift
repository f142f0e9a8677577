import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Several devices have one name, as those of one make do.
@Suite struct SharedNameTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() async throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
    for device in [a, b, c] { try await device.register(remote) }
  }

  /// What `c` is told of a set of `a` that is damaged.
  private func sentence() async throws -> String {
    for device in [a, b] {
      try device.write("of \(device.client)", "text")
      try await device.sync(remote)
    }
    try await c.sync(remote)
    try a.write("of \(a.client)", "changed")
    try await a.sync(remote)
    let author = try a.author
    let set = try #require(
      remote.paths { SetName($0) }.filter { $0.parent == DocumentHierarchy.notes.changes(of: author) }
        .max { $0.description < $1.description })
    remote.tamper(set) { $0.removeLast() }
    let report = try await c.sync(remote)
    let waiting = try #require(report.findings.first { $0.waitsFor != nil })
    return report.sentence(waiting)
  }

  @Test func `of a set that cannot be read its author is told where others bear the name`() async throws {
    for device in [a, b] { device.rename("Kitchen") }

    #expect(try await sentence().contains("“Kitchen” (\(a.author))"))
  }

  @Test func `the name is enough where nobody else bears it`() async throws {
    for device in [a, b] { device.rename("Kitchen of \(device.client)") }

    #expect(try await !sentence().contains(a.author.description))
  }
}
