import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A program begins its store with a whole store and is killed before it registers; started again, it finds a store and knows of it what the
/// store itself says.
@Suite struct KilledWhileBeginningTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private static let choices: [String?] = [nil, "password"]

  private func choice(_ password: String?) -> EncryptionChoice {
    password.map { .password($0) } ?? .none
  }

  private func found(_ device: Device, on remote: MemoryBackend, _ encryption: EncryptionChoice) async throws
  {
    workplace.clock.advance(1_000)
    try await device.register(remote, encryption)
    try device.write("one", "by \(device.client)")
    try await device.sync(remote)
  }

  @Test(arguments: choices)
  func `a copy of a document that was founded anew since is not registered as one of its successor`(
    _ password: String?
  ) async throws {
    try await found(a, on: remote, choice(password))
    try await a.uploadStore(remote)
    #expect(try await c.beginStore(remote, choice(password)).begun.store != nil)
    remote.restore(MemoryBackend())
    try await found(b, on: remote, choice(password))

    #expect(await refusal { try await c.register(remote, choice(password)) } == .documentReplaced)

    #expect(remote.paths { AcceptanceName($0) }.isEmpty)
    try await b.sync(remote)
    #expect(try b.notes == ["one: by device-b"] && c.notes == ["one: by device-a"])
    // As the message says.
    let new = Device("d", in: workplace)
    try await new.begin(remote, choice(password))
    try await new.sync(remote)
    #expect(try new.notes == ["one: by device-b"])
  }

  @Test func `a copy whose document is gone does not found it anew`() async throws {
    try await found(a, on: remote, .none)
    try await a.uploadStore(remote)
    try await c.beginStore(remote)
    remote.restore(MemoryBackend())

    #expect(await refusal { try await c.register(remote) } == .documentNotFound)

    #expect(remote.paths { FoundingName($0) }.count == 1, "the application's alone")
  }

  @Test func `a copy of an encrypted document is not registered where its key is not at hand`() async throws {
    try await found(a, on: remote, .password("first"))
    try await a.uploadStore(remote)
    try await c.beginStore(remote, .password("first"))
    let others = remote.copy()
    remote.restore(MemoryBackend())
    try await found(b, on: remote, .password("second"))
    try await remote.add(others)

    #expect(await refusal { try await c.register(remote, .password("second")) } == .keyMissing)
  }

  @Test(arguments: choices)
  func `what was begun and not registered goes on where the document is still there`(
    _ password: String?
  ) async throws {
    try await found(a, on: remote, choice(password))
    try await a.uploadStore(remote)
    try await c.beginStore(remote, choice(password))
    try a.write("two", "later")
    try await a.sync(remote)

    try await c.register(remote, choice(password))

    try await c.sync(remote)
    #expect(try c.notes == a.notes)
    #expect(try await c.sync(remote).findings.isEmpty)
  }

  @Test func `of several foundings it joins the one that its copy is of, and not the newest`() async throws {
    try await found(a, on: remote, .none)
    try await a.uploadStore(remote)
    try await c.beginStore(remote)
    let others = remote.copy()
    let own = Set(others.paths { FoundingName($0) })
    remote.restore(MemoryBackend())
    try await found(b, on: remote, .none)
    try await remote.add(others)

    try await c.register(remote)

    let founding = try #require(try c.pinnedFounding())
    #expect(own.contains { $0.description.contains(founding.description) })
  }

  @Test func `a copy that was deleted since is said to be deleted`() async throws {
    try await found(a, on: remote, .none)
    try await a.uploadStore(remote)
    try await c.beginStore(remote)
    try await a.deleteDocument(remote)

    #expect(await refusal { try await c.register(remote) } == .documentDeleted)
  }
}

extension MemoryBackend {
  /// Delivers what another storage has, as far as there is nothing in its place.
  fileprivate func add(_ other: MemoryBackend) async throws {
    for (path, bytes) in other.files where files[path] == nil {
      if let folder = path.parent { try await makeFolder(folder) }
      try await upload(bytes, to: path)
    }
  }
}
