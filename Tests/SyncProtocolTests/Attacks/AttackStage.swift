import ChangeTracking
import Crypto
import Foundation
import Testing

@testable import SyncProtocol

/// A document that has seen everything: two foundings that became one (or one founding), a device that is switched off and waits for something, an author
/// whose sets another has said again, and a document of the same name that was deleted before.
final class AttackStage: Sendable {
  /// Stands in every text that devices write, so that a search through the remote finds what is not encrypted.
  static let secret = "a-secret-that-nobody-reads"
  static let longText = String(repeating: "\(secret) ", count: 1_500)

  let isEncrypted: Bool
  let remote: AttackRemote
  /// Everything that ever lay there, by path; of several files with one path the first.
  let archive: [String: Data]
  let clients: [(name: String, store: Data, keys: KeyRing?)]
  let time: UInt64

  var encryption: EncryptionChoice { isEncrypted ? .password("pass") : .none }

  private static let sealed = Task { try await AttackStage(isEncrypted: true, isFoundedOnce: false) }
  private static let plain = Task { try await AttackStage(isEncrypted: false, isFoundedOnce: false) }
  private static let sealedOnce = Task { try await AttackStage(isEncrypted: true, isFoundedOnce: true) }
  private static let plainOnce = Task { try await AttackStage(isEncrypted: false, isFoundedOnce: true) }

  /// The stage, which is built once.
  static func ready(isEncrypted: Bool, isFoundedOnce: Bool) async throws -> AttackStage {
    let stage =
      isFoundedOnce ? (isEncrypted ? sealedOnce : plainOnce) : (isEncrypted ? sealed : plain)
    return try await stage.value
  }

  /// Devices as they were when the stage was ready, in a workplace of their own.
  func members(seed: UInt64) throws -> (workplace: Workplace, members: [Device]) {
    let workplace = try Workplace(seed: seed)
    workplace.clock.advance(time - workplace.clock.milliseconds + 60_000)
    let members = try clients.map { client in
      let device = Device(client.name, in: workplace)
      try device.restore(client.store)
      device.setKeys(client.keys)
      return device
    }
    return (workplace, members)
  }

  static let document = "com.example.notes/Documents/notes"

  private init(isEncrypted: Bool, isFoundedOnce: Bool) async throws {
    let encryption: EncryptionChoice = isEncrypted ? .password("pass") : .none
    let remote = try AttackRemote()
    let backend = remote.backend
    let workplace = try Workplace(seed: isEncrypted ? 11 : 12)
    var archive: [String: Data] = [:]
    func keepFiles() { archive.merge(remote.contents) { first, _ in first } }

    // An application that was wiped, and a document that was deleted in the one that came after.
    let y = try await Self.formerly("device-y", remote, encryption, workplace, &archive)
    try await y.deleteDocument(backend)
    keepFiles()
    try remote.remove("com.example.notes")
    let z = try await Self.formerly("device-z", remote, encryption, workplace, &archive)
    try await z.deleteDocument(backend)
    let other = Device("device-o", in: workplace, document: "other")
    try await other.register(backend, encryption)
    try other.write("other", Self.secret)
    try await other.sync(backend)

    let a = Device("device-a", in: workplace)
    let b = Device("device-b", in: workplace)
    let c = Device("device-c", in: workplace)
    let members = [a, b, c]
    func settle(_ rounds: Int) async throws {
      for _ in 0..<rounds { for device in members { try await device.sync(backend) } }
      keepFiles()
    }
    // Founded while apart.
    let elsewhere = isFoundedOnce ? remote : try AttackRemote()
    for (device, remote) in [(a, remote), (b, elsewhere)] {
      try await device.register(remote.backend, encryption)
      try device.write("first of \(device.client)", Self.secret)
      try device.write("long of \(device.client)", "\(device.client) \(Self.longText)")
      try await device.sync(remote.backend)
    }
    keepFiles()
    if !isFoundedOnce { try remote.add(elsewhere.contents) }
    try await c.register(backend, encryption)
    try await settle(3)
    for device in members {
      try device.write("second of \(device.client)", Self.secret)
      try await device.sync(backend)
      keepFiles()
    }
    try await settle(2)

    let former = try await Self.supersede("device-e", remote, encryption, workplace, &archive)
    try await settle(2)

    // Somebody asks, has got it, and is switched off before he learns that.
    let d = Device("device-d", in: workplace)
    let author = try a.author.description
    let set = try #require(remote.files.first { $0.contains(author) && $0.hasSuffix(".set") })
    let damaged = [set] + remote.files.filter { $0.hasSuffix(".value") }
    let whole = remote.contents.filter { damaged.contains($0.key) }
    try remote.remove(set)
    for path in damaged.dropFirst() {
      try remote.write([UInt8](repeating: 0, count: whole[path]?.count ?? 0), to: path)
    }
    try await d.register(backend, encryption)
    for _ in 0..<3 { try await d.sync(backend) }
    let requests = remote.files.filter { $0.hasSuffix(".resend") || $0.hasSuffix(".resend-value") }
    for (path, bytes) in whole { try remote.write(bytes, to: path) }
    keepFiles()
    try remote.write([], to: "\(Self.document)/DeletedClients/device-x")
    try await settle(6)
    // Storage brings back what was answered and taken away.
    for path in requests { try remote.write([], to: path) }
    try await settle(1)
    // As a device does that has merged a set which no head names.
    let merged = try #require(
      remote.files.last { $0.contains(author) && $0.hasSuffix(".set") }?.split(separator: "/").last)
    let name = try #require(RemoteName(String(merged)).flatMap { SetName($0) })
    let mention = try await b.protection().mention(author: try a.author, set: name)
    try await backend.upload([], to: DocumentHierarchy.notes.file(of: mention))
    for device in [a, b] { try await device.uploadStore(backend) }
    // As after a vacuum of what that author wrote.
    var floor = VersionVector()
    floor[former] = 2
    try await HeadTransfer(backend: backend, hierarchy: .notes, protection: try await a.protection())
      .publish(floor, .inForce, by: try a.author)
    // A device that was renamed, and then removed.
    let r = Device("device-r", in: workplace)
    try await r.register(backend, encryption)
    r.rename("renamed")
    for _ in 0..<2 { try await r.sync(backend) }
    keepFiles()
    try await a.remove(r, backend)
    try await settle(1)
    keepFiles()

    self.isEncrypted = isEncrypted
    self.remote = remote
    self.archive = archive
    time = workplace.clock.milliseconds
    clients = try members.map { ($0.client, try $0.backUp(), $0.ring) }
  }

  /// A document with files of all kinds.
  private static func formerly(
    _ client: String, _ remote: AttackRemote, _ encryption: EncryptionChoice, _ workplace: Workplace,
    _ archive: inout [String: Data]
  ) async throws -> Device {
    let device = Device(client, in: workplace)
    try await device.register(remote.backend, encryption)
    try device.write("ghost", "slipped in")
    try device.write("long ghost", "slipped in \(longText)")
    try await device.uploadStore(remote.backend)
    archive.merge(remote.contents) { first, _ in first }
    try await supersede("\(client)-e", remote, encryption, workplace, &archive)
    return device
  }

  /// An author whose sets were lost and were not kept, and who says them again as another.
  @discardableResult
  private static func supersede(
    _ client: String, _ remote: AttackRemote, _ encryption: EncryptionChoice, _ workplace: Workplace,
    _ archive: inout [String: Data]
  ) async throws -> AuthorID {
    let device = Device(client, in: workplace, keptBytes: 0)
    try await device.register(remote.backend, encryption)
    for number in 1...3 {
      try device.write("\(number) of \(client)", "\(secret) \(number)")
      try await device.sync(remote.backend)
    }
    archive.merge(remote.contents) { first, _ in first }
    let author = try device.author
    let sets = remote.files.filter { $0.contains("SyncChanges/\(author)") }
    for path in sets.dropLast() { try remote.remove(path) }
    for path in remote.files where path.contains("RecentSyncs/\(author)") { try remote.remove(path) }
    for _ in 0..<4 { try await device.sync(remote.backend) }
    archive.merge(remote.contents) { first, _ in first }
    return author
  }
}
