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
