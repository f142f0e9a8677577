import ChangeTracking
import Crypto
import FileManagerBackend
import Foundation
import Inspection
import Locking
import ObjectStore
import SyncProtocol
import TemporaryFolders

/// What the devices of a workshop keep: every kind of property that travels.
class Part: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @Attribute var weight: Double?
  @Attribute var made: Date?
  @Attribute var note: String?
  @Attribute(userInfo: .merging(.counter)) var uses: Int64 = 0
  @ToOne(inverse: \Bench.parts) var bench: Bench?
  @ToMany(inverse: \Label.parts) var labels: Set<Label>
}

final class Motor: Part {
  @Attribute var isElectric: Bool?
}

final class Bench: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany(deleteRule: .nullify) var parts: Set<Part>
  @ToMany(inverse: \Label.shelf) var shelf: [Label]
}

final class Label: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany var parts: Set<Part>
  @ToMany var shelf: Set<Bench>
}

/// Devices that work on one document, with a clock that the test sets.
final class Workshop {
  let folder: TemporaryFolder
  let remote: String
  let isEncrypted: Bool
  private let clock = Locked(UInt64(1_700_000_000_000))
  private(set) var devices: [Device] = []
  var random: Generator

  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      // SplitMix64 (Steele, Lea, Flood 2014).
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
      return bits ^ bits >> 31
    }
  }

  struct Device {
    let name: String
    let path: String
    let store: PersistentStore
    let context: ManagedObjectContext
    let manager: DocumentSyncManager

    func sync() async throws { _ = try await manager.synchronize() }

    /// What the store shows, as text to compare.
    func contents() throws -> [String] {
      try Workshop.lines(StateObjects(StoreFile(path: path, model: store.model)))
    }
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Part.self, Motor.self, Bench.self, Label.self)
  }

  init(seed: UInt64, devices count: Int = 3, encrypted: Bool = false) async throws {
    folder = try TemporaryFolder()
    remote = folder.file("remote")
    isEncrypted = encrypted
    random = Generator(state: seed)
    try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: true)
    for index in 0..<count { try await join("device \(index)") }
  }

  var now: UInt64 { clock.withLock { $0 } }

  func advance() { clock.withLock { $0 += UInt64.random(in: 1...60_000, using: &random) } }

  func advance(milliseconds: UInt64) { clock.withLock { $0 += milliseconds } }

  /// A device that joins.
  @discardableResult
  func join(_ name: String) async throws -> Device {
    var configuration = try ApplicationConfiguration(
      application: "workshop", client: "client-\(devices.count)", clientDescription: name)
    configuration.passwordCost = .init(cost: 16, blockSize: 8, parallelization: 1)
    configuration.now = { [clock] in clock.withLock { $0 } }
    let application = ApplicationSyncManager(
      backend: FileManagerBackend(folder: remote), configuration: configuration)
    try await application.register(isEncrypted ? .password(SampleRemote.password) : .none)
    let path = folder.file("\(name).sqlite")
    let store = try PersistentStore(model: Self.model(), path: path)
    let replica = try store.newReplica(
      .init(client: "client-\(devices.count)", now: { [clock] in clock.withLock { $0 } }, setLimit: 20))
    let manager = try DocumentSyncManager(application: application, document: "parts", replica: replica)
    try await manager.register()
    let device = Device(
      name: name, path: path, store: store, context: try store.newContext(), manager: manager)
    devices.append(device)
    return device
  }

  var inspector: RemoteInspector {
    RemoteInspector(
      backend: FileManagerBackend(folder: remote), password: isEncrypted ? SampleRemote.password : nil)
  }

  // MARK: Edits

  /// Something that a user does, saved.
  func edit(_ device: Device) throws {
    advance()
    let context = device.context
    context.mergePendingChanges()
    for _ in 0..<Int.random(in: 1...3, using: &random) { try editOnce(context) }
    try context.save()
  }

  private func editOnce(_ context: ManagedObjectContext) throws {
    let parts = try any(Part.self, context)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      let part = try Bool.random(using: &random) ? context.insert(Part.self) : context.insert(Motor.self)
      part.name = word()
      part.bench = try any(Bench.self, context)
      (part as? Motor)?.isElectric = Bool.random(using: &random)
    case 2: try context.insert(Bench.self).name = word()
    case 3: try context.insert(Label.self).name = word()
    case 4: parts?.weight = Bool.random(using: &random) ? Double.random(in: -5...5, using: &random) : nil
    case 5:
      parts?.made = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...9_999, using: &random)))
    case 6: parts?.note = Bool.random(using: &random) ? String(repeating: word(), count: 4_000) : word()
    case 7: parts?.uses += Int64.random(in: -3...3, using: &random)
    case 8: parts?.bench = try any(Bench.self, context)
    case 9:
      guard let label = try any(Label.self, context), let parts else { return }
      if parts.labels.contains(label) { parts.labels.remove(label) } else { parts.labels.insert(label) }
    case 10:
      guard let label = try any(Label.self, context), let bench = try any(Bench.self, context) else { return }
      if bench.shelf.contains(label) { return }
      bench.shelf.insert(label, at: Int.random(in: 0...bench.shelf.count, using: &random))
    default:
      guard Int.random(in: 0..<3, using: &random) == 0, let parts else { return }
      context.delete(parts)
    }
  }

  private func any<T: ManagedObject>(_ type: T.Type, _ context: ManagedObjectContext) throws -> T? {
    try context.fetch(FetchRequest<T>()).randomElement(using: &random)
  }

  private func word() -> String { "word \(random.next() % 1_000)" }

  // MARK: Comparing

  /// One line for each object of a store.
  static func lines(_ objects: StateObjects) throws -> [String] {
    var lines: [String] = []
    try objects.forEach { object in
      var line = "\(object.entity) \(object.identifier)"
      for (name, value) in object.attributes where !value.isNull { line += " \(name)=\(value)" }
      for (name, _, targets) in object.relationships where !targets.isEmpty { line += " \(name)→\(targets)" }
      lines.append(line)
    }
    return lines.sorted()
  }
}
