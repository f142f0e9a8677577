import BackendConformance
import Crypto
import Testing

@testable import SyncProtocol

/// What describes a document that several devices have founded, while they cannot read each other's files.
@Suite struct DescriptionTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private let path = DocumentHierarchy.notes.information

  /// `a` and `b` found the document, each on storage of its own; then the folders meet.
  private func foundApart(_ one: EncryptionChoice, _ other: EncryptionChoice) async throws {
    let elsewhere = MemoryBackend()
    try await a.register(remote, one)
    try await a.sync(remote)
    try await b.register(elsewhere, other)
    try await b.sync(elsewhere)
    remote.meet(elsewhere)
  }

  /// A day on which all devices synchronise.
  ///
  /// - Returns: how often the description was written.
  private func day(_ devices: [Device]) async throws -> Int {
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    var changes = 0
    for device in devices {
      let before = remote.files[path]
      try await device.sync(remote)
      if remote.files[path] != before { changes += 1 }
    }
    return changes
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `of two descriptions under two keys that of the smaller key stays`(_ order: [Int]) async throws {
    try await foundApart(.password("by a"), .password("by b"))
    let devices = order.map { [a, b][$0] }
    _ = try await day(devices)
    _ = try await day(devices)

    for _ in 0..<3 { #expect(try await day(devices) == 0) }

    let keys = try [a, b].map { try #require($0.ring).primary.identifier }
    let bytes = try #require(remote.files[path])
    #expect(try SealedContainer.keyIdentifier(of: bytes) == keys.min { $0.description < $1.description })
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `of a description in the clear and a sealed one the sealed one stays`(_ order: [Int]) async throws {
    try await foundApart(.none, .password("by b"))
    let devices = order.map { [a, b][$0] }
    _ = try await day(devices)
    _ = try await day(devices)

    for _ in 0..<3 { #expect(try await day(devices) == 0) }

    #expect(SealedContainer.isSealed(try #require(remote.files[path])))
  }

  @Test func `a description under a key that nobody has founded with is written anew`() async throws {
    try await a.register(remote, .password("pass"))
    try await a.sync(remote)
    let bytes = try #require(remote.files[path])
    let context = SealedContext(role: .documentInformation, identity: "anything")
    for _ in 0..<4 {
      let forged = try SealedContainer.seal([1], as: context, with: MasterKey.generate())
      try await remote.upload(forged, to: path)
      _ = try await day([a])
      #expect(remote.files[path] == bytes)
    }
  }
}
