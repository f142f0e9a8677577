import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// Something else lies in the place of what says that a password or a key opens nothing any more.
@Suite struct CoveredWithdrawalTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b): (Device, Device)
  private let hierarchy = DocumentHierarchy.notes.application

  init() async throws {
    workplace = try Workplace()
    (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
    for device in [a, b] { try await device.register(remote, .password("first")) }
    try a.write("one", "by a")
    for device in [a, b] { try await device.sync(remote) }
  }

  /// - Returns: the places that are covered.
  private func coverWithdrawals() async throws -> [RemotePath] {
    let places = remote.paths { WithdrawalName($0) }
    for place in places {
      try await remote.remove(place)
      try await remote.makeFolder(place)
    }
    #expect(!places.isEmpty)
    return places
  }

  private func opens(_ password: String) async throws -> Bool {
    let newcomer = Device("newcomer", in: workplace)
    let error = await failure { try await newcomer.register(remote, .password(password)) }
    #expect(error == nil || error?.code == .wrongPassword)
    return error == nil
  }

  @Test func `a password that was changed opens nothing while a folder covers its withdrawal`() async throws {
    let former = remote.files.filter { $0.key.name.flatMap { KeyFileName($0) } != nil }
    try await a.application(remote).changePassword(from: "first", to: "second")
    _ = try await coverWithdrawals()

    for (path, bytes) in former { try await remote.upload(bytes, to: path) }

    #expect(try await !opens("first"))
    #expect(try await opens("second"))
  }

  @Test func `a member that has only seen it covered puts a withdrawal back`() async throws {
    let former = remote.files.filter { $0.key.name.flatMap { KeyFileName($0) } != nil }
    try await a.application(remote).changePassword(from: "first", to: "second")
    let places = try await coverWithdrawals()
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await b.sync(remote)

    for place in places { try await remote.remove(place) }
    for (path, bytes) in former { try await remote.upload(bytes, to: path) }
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    try await b.sync(remote)

    #expect(remote.paths { WithdrawalName($0) } == places)
    #expect(try await !opens("first"))
    #expect(try await opens("second"))
  }

  enum Loss: CaseIterable {
    case removed, covered
  }

  @Test(arguments: Loss.allCases)
  func `who has the former key alone gets to the new one though nothing but withdrawals names the former`(
    loss: Loss
  ) async throws {
    let record = try #require(remote.paths { FoundingName($0) }.first { $0.parent == hierarchy.founding })
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try await remote.remove(record)
    if loss == .covered { try await remote.makeFolder(record) }
    for wrapped in remote.paths({ WrappedKeyName($0) }) { try await remote.upload([1], to: wrapped) }

    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))

    #expect(b.ring?.identifiers.count == 2)
    try b.write("two", "by b")
    for device in [b, a] { try await device.sync(remote) }
    #expect(try a.notes == ["one: by a", "two: by b"])
  }

  // MARK: Removed, and known here

  /// `a` adds “second” and removes it again; then somebody removes what says so, and puts the old key file back.
  private func forgetSecond() async throws {
    let application = try await a.manager(remote).application
    try await application.addPassword("second")
    let former = remote.files.filter { $0.key.name.flatMap { KeyFileName($0) } != nil }
    try await application.removePassword("second")
    try await a.manager(remote).keepPasswordFiles()
    try await a.sync(remote)
    try await a.manager(remote).keepPasswordFiles()
    for place in remote.paths({ WithdrawalName($0) }) { try await remote.remove(place) }
    for (path, bytes) in former { try await remote.upload(bytes, to: path) }
  }

  /// Does something with the application of the device, whose document is open.
  private func withDocument<Result>(
    _ body: (ApplicationSyncManager) async throws -> Result
  ) async throws -> Result {
    let manager = try await a.manager(remote)
    defer { withExtendedLifetime(manager) {} }
    return try await body(manager.application)
  }

  @Test func `a member that knows that a password was withdrawn does not count it`() async throws {
    try await forgetSecond()

    let passwords = try await withDocument { try await $0.passwords() }
    let error = await failure { try await withDocument { try await $0.removePassword("first") } }

    #expect(passwords.count == 1)
    #expect(error?.code == .lastPassword)
    #expect(try await opens("first"))
    #expect(try await !opens("second"))
  }

  @Test func `a password that was withdrawn is added anew, though its old key file came back`() async throws {
    try await forgetSecond()

    let isAdded = try await withDocument { try await $0.addPassword("second") }

    #expect(isAdded)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for device in [a, b] { try await device.sync(remote) }
    #expect(try await opens("second"))
  }

  @Test func `who was told that the keys were replaced is told so again where withdrawals were removed`()
    async throws
  {
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    try a.write("two", "by a")
    try await a.sync(remote)
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    let before = try await b.sync(remote).findings
    for place in remote.paths({ WithdrawalName($0) }) { try await remote.remove(place) }
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    let after = try await b.sync(remote).findings

    func missing(_ findings: [SyncFinding]) -> [MissingKey] {
      findings.compactMap { if case .keyMissing(let key) = $0 { key } else { nil } }
    }
    #expect(!missing(before).isEmpty)
    #expect(missing(after) == missing(before))
    #expect(missing(after).allSatisfy { $0.isReplacement })
  }

  @Test func `what covers wrapped keys is named by members, and to newcomers`() async throws {
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    let wrapped = try #require(remote.paths { WrappedKeyName($0) }.first)
    try await remote.remove(wrapped)
    try await remote.makeFolder(wrapped)
    workplace.clock.advance(25 * 60 * 60 * 1_000)

    #expect(try await a.sync(remote).findings.contains(.obstructed(wrapped)))
    #expect(try await a.sync(remote).findings.contains(.obstructed(wrapped)))
    let newcomer = Device("device-c", in: workplace)
    let error = await failure { try await newcomer.register(remote, .password("second")) }
    #expect(error?.code == .keysNotDelivered)
    #expect(error?.recovery.contains("“\(wrapped)”") == true, "\(String(describing: error))")
  }

  // MARK: Other remotes

  @Test func `keys of another remote are not taken for those of this one`() async throws {
    let other = Device("device-c", in: workplace)
    try await other.register(MemoryBackend(), .password("first"))
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))

    let error = await failure {
      try await b.register(remote, .keysAndPassword(try #require(other.ring), "second"))
    }

    #expect(error?.code == .keyMissing)
  }
}
