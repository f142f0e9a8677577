import BackendConformance
import ChangeTracking
import Testing

@testable import SyncProtocol

/// A device begins its store under one founding and registers with the keys of another, because the storage went back in between or
/// because it was given another password.
@Suite struct BegunElsewhereTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private func found(_ device: Device, _ password: String) async throws {
    try await device.register(remote, .password(password))
    try device.write("one", "by \(device.client)")
    try await device.sync(remote)
  }

  /// The storage forgets what the first device has founded, and another founds the document.
  private func replace() async throws -> EncryptionChoice {
    remote.restore(MemoryBackend())
    try await found(b, "second")
    return .password("second")
  }

  @Test func `what was read before the remote was founded anew with another password is forgotten`()
    async throws
  {
    try await found(a, "first")
    let begun = try await c.begin(remote, .password("first"), meanwhile: replace)
    #expect(begun.store == nil)
    for device in [c, b, c] { try await device.sync(remote) }
    for device in [b, c] { #expect(try await device.sync(remote).findings.isEmpty) }
    #expect(try c.notes == ["one: by device-b"])
    #expect(remote.paths { AcceptanceName($0) }.isEmpty)
  }

  @Test func `a copy of a document that was founded anew is not taken for one of its successor`() async throws
  {
    try await found(a, "first")
    try await a.uploadStore(remote)
    let code = await refusal { try await c.begin(remote, .password("first"), meanwhile: replace) }
    #expect(code == .documentReplaced)
    #expect(remote.paths { AcceptanceName($0) }.isEmpty)
    // As the message says.
    let new = Device("d", in: workplace)
    try await new.begin(remote, .password("second"))
    try await new.sync(remote)
    #expect(try new.notes == ["one: by device-b"])
  }

  @Test(arguments: [true, false])
  func `a store that was begun under one password is not registered with another`(
    isCopied: Bool
  ) async throws {
    try await found(a, "first")
    if isCopied { try await a.uploadStore(remote) }
    // Storage delivers what was founded at the same time late.
    let others = remote.copy()
    remote.restore(MemoryBackend())
    try await found(b, "second")
    for (path, bytes) in others.files where remote.files[path] == nil {
      if let folder = path.parent { try await remote.makeFolder(folder) }
      try await remote.upload(bytes, to: path)
    }
    let code = await refusal {
      try await c.begin(remote, .password("first")) { .password("second") }
    }
    #expect(code == (isCopied ? .keyMissing : nil))
    if isCopied { try await c.register(remote, .password("first")) }
    // Whoever has both keys makes them one document.
    let ring = try #require(c.ring)
    try await c.register(remote, .keysAndPassword(ring, isCopied ? "second" : "first"))
    for _ in 0..<4 { for device in [a, b, c] { try await device.sync(remote) } }
    #expect(try a.notes == b.notes && c.notes == a.notes)
  }
}
