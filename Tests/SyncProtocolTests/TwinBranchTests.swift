import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// Two branches of an author that part with their first sets, one of which is damaged and kept by nobody.
@Suite struct TwinBranchTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func write(_ note: String, on device: Device, _ remote: MemoryBackend) async throws {
    try device.write(note, "text")
    try await device.sync(remote)
  }

  private func settle() async throws {
    for _ in 1...10 { try await b.sync(remote) }
    let last = try await b.sync(remote)
    #expect(last.requests == 1 && last.findings.isEmpty, "\(last.findings)")
  }

  private func isWaiting(_ report: SyncReport) -> Bool { report.findings.contains { $0.waitsFor != nil } }

  private let month: UInt64 = 31 * 24 * 60 * 60 * 1_000

  /// Two branches of the author `a` of one set each, `x1` and `y1`, of which nobody keeps anything.
  ///
  /// - Returns: the author, and where the sets lie, in the order of the branches.
  private func branches() async throws -> (author: AuthorID, x1: RemotePath, y1: RemotePath) {
    let author = try a.author
    let (copy, elsewhere) = (Device("device-a-copy", in: workplace), remote.copy())
    try copy.restore(try a.backUp())
    try await write("x1", on: a, remote)
    try await write("y1", on: copy, elsewhere)
    let x1 = try #require(remote.paths { SetName($0) }.first)
    let y1 = try #require(elsewhere.paths { SetName($0) }.first)
    remote.meet(elsewhere)
    return (author, x1, y1)
  }

  private func damage(_ path: RemotePath) { remote.tamper(path) { $0 = Array($0.prefix(5)) } }

  @Test(arguments: [true, false])
  func `of two branches whose first sets are named, one is merged though the other is damaged`(
    isFirst: Bool
  ) async throws {
    for device in [a, b] { try await device.register(remote) }
    let (author, x1, y1) = try await branches()
    damage(isFirst ? x1 : y1)

    try await b.sync(remote)
    #expect(try b.notes == [isFirst ? "y1: text" : "x1: text"])

    for _ in 1...9 { try #require(try await isWaiting(b.sync(remote))) }
    workplace.clock.advance(month)
    #expect(try await b.sync(remote).findings.contains(.givenUp(author: author, sequence: 1)))
    try await settle()
  }

  @Test(arguments: [true, false])
  func `a branch that comes once the other was given up is merged`(isFirst: Bool) async throws {
    for device in [a, b] { try await device.register(remote) }
    let (author, x1, y1) = try await branches()
    damage(isFirst ? x1 : y1)
    let late = isFirst ? y1 : x1
    let set = try #require(late.name.flatMap { SetName($0) })
    let head = try #require(remote.paths { HeadName($0).flatMap { $0.set == set ? $0 : nil } }.first)
    let (setBytes, headBytes) = (try #require(remote.files[late]), try #require(remote.files[head]))
    for path in [late, head] { try await remote.remove(path) }
    for _ in 1...9 { try #require(try await isWaiting(b.sync(remote))) }
    workplace.clock.advance(month)
    try await b.sync(remote)
    try #require(try await b.sync(remote).findings.contains(.givenUp(author: author, sequence: 1)))
    try await b.sync(remote)

    try await remote.upload(setBytes, to: late)
    try await remote.upload(headBytes, to: head)
    try await b.sync(remote)

    #expect(try b.notes == [isFirst ? "y1: text" : "x1: text"])
    try await settle()
  }

  @Test(arguments: [["x1"], ["x1", "x2"]])
  func `a damaged set is given up though another of its place is whole that nobody names`(
    notes: [String]
  ) async throws {
    for device in [a, b] { try await device.register(remote) }
    let (author, x1, y1) = try await branches()
    let set = try #require(y1.name.flatMap { SetName($0) })
    let head = try #require(remote.paths { HeadName($0).flatMap { $0.set == set ? $0 : nil } }.first)
    try await remote.remove(head)
    for note in notes.dropFirst() { try await write(note, on: a, remote) }
    damage(x1)
    for _ in 1...9 { try #require(try await isWaiting(b.sync(remote))) }

    workplace.clock.advance(month)
    try await b.sync(remote)
    #expect(try await b.sync(remote).findings.contains(.givenUp(author: author, sequence: 1)))

    #expect(try b.notes == notes.dropFirst().map { "\($0): text" })
    #expect(try await b.sync(remote).findings.isEmpty)
  }
}
