import BackendConformance
import Foundation
import Simulation
import SyncProtocol

/// One run: devices do anything in any order, and in the end all must hold the same, or say why not.
final class ProtocolRun {
  var random: SeededRandomSource
  let families: Set<ProtocolSimulation.Family>
  let configuration: ProtocolSimulation.Configuration
  private let folder: URL
  var devices: [SimulatedDevice]
  /// Who joins when others have gone for good; `nil` where nobody goes.
  let latecomer: SimulatedDevice?
  /// Who founds a document under the name of the deleted one; nobody where none is deleted.
  let heirs: [SimulatedDevice]
  private let replicator: Replicator?
  /// The storage that all devices share, if they have no copies of their own.
  let server: MemoryBackend
  private var earlier: MemoryBackend?
  private var backups: [(device: Int, backup: SimulatedDevice.Backup, history: SavedHistory.Backup)] = []
  private var texts = 0
  /// A device that is not online in some steps, for so long that others need not wait for it.
  private let absence: (device: Int, steps: Range<Int>)?
  /// Whether a vacuum may have removed what somebody lacks, because he was away for so long.
  var passesOver = false
  /// Where folders have come to lie in the place of files, and files in that of folders.
  var obstructed = Obstructed()
  /// How often the storage lost something for good.
  private(set) var losses = 0
  /// Whether a device waited for a set in the last round.
  var isWaiting = false
  /// Whether a device ignored heads in the last round, because nobody whom it knows has written them.
  var ignoresHeads = false
  /// Whether nothing is kept from anybody any more.
  var isAllDelivered = false
  /// A device that is not online while the others settle, and comes back when they have given up what storage has lost.
  var sleeper: SimulatedDevice?
  /// Foundings that a device has met, and was no member of, while everything settled.
  var metFoundings: Set<IntegrityKey> = []
  /// What a device was told that is to be done if no password opens the remote.
  var wayIn: WayIn?
  /// Key files that are damaged, of keys that devices were told are missing, in the last round.
  var unreadableKeyFiles: Set<KeyFileName> = []
  var history = SavedHistory()
  /// What the owners of all devices have been told of passwords.
  var book: PasswordBook
  /// Replacements of keys that failed, perhaps in the middle, and were not tried again yet.
  var unfinished: [(device: SimulatedDevice, change: PasswordChange)] = []
  var outcome: ProtocolSimulation.Outcome

  /// When runs begin, in milliseconds since 1970.
  static let start: UInt64 = 1_700_000_000_000

  init(_ configuration: ProtocolSimulation.Configuration) throws {
    self.configuration = configuration
    let families = ProtocolSimulation.Family.draw(configuration)
    self.families = families
    var random = SeededRandomSource(seed: configuration.seed)
    outcome = ProtocolSimulation.Outcome(
      families: families.map(\.rawValue).sorted().joined(separator: ","))

    folder = URL.temporaryDirectory.appending(path: "ticds-protocol-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let server = MemoryBackend()
    self.server = server
    var devices: [SimulatedDevice] = []
    for index in 0..<configuration.devices {
      let files = families.contains(.replicated) ? MemoryBackend() : server
      let skew =
        families.contains(.wrongClocks)
        ? Int64.random(in: -100_000_000_000...100_000_000_000, using: &random) : 0
      let clock = SimulatedClock(Self.start)
      clock.step(skew)
      devices.append(
        SimulatedDevice(
          name: "device-\(index)", folder: folder.path(percentEncoded: false),
          storage: SimulatedStorage(files, seed: random.next()), clock: clock, seed: random.next(),
          password: Self.password(of: index, families),
          wholeStores: families.contains(.wholeStores) ? WholeStorePolicy(sets: 4, relativeSize: 0) : nil))
    }
    self.devices = devices
    latecomer =
      families.contains(.departures)
      ? Self.newcomer(
        "latecomer", like: devices[0], folder, server, configuration.seed ^ 0x6c61_7465, families) : nil
    heirs = Self.heirs(like: devices[0], folder, server, configuration.seed, families)
    book = PasswordBook(devices.compactMap(\.password))
    if families.contains(.vacuums) {
      let start = Int.random(in: 0..<2 * configuration.steps, using: &random)
      absence = (.random(in: devices.indices, using: &random), start..<start + configuration.steps)
    } else {
      absence = nil
    }
    // Who was away hears of what was removed later still, perhaps.
    if let absence, random.oneIn(2) { devices[absence.device].storage.withhold(.floors) }
    let storages = (devices + [latecomer].compactMap { $0 }).map(\.storage)
    replicator = families.contains(.replicated) ? Replicator(storages, families: families) : nil
    self.random = random
  }

  private static func password(of index: Int, _ families: Set<ProtocolSimulation.Family>) -> String? {
    guard families.contains(.encrypted) else { return nil }
    return families.contains(.severalPasswords) && index % 2 == 1 ? "another staple" : "correct horse battery"
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func play() async throws -> ProtocolSimulation.Outcome {
    if families.contains(.answers) { appointUsers() }
    if !families.contains(.foundingRaces) { try await registerInTurn() }
    // Files become superfluous only when all have read them.
    let steps = configuration.steps * (families.contains(.vacuums) ? 3 : 1)
    for number in 0..<steps { try await step(number) }
    try await settle()
    if outcome.violations.isEmpty, families.contains(.departures) { try await goForGood() }
    if outcome.violations.isEmpty, families.contains(.passwords) { try await comparePasswords() }
    if outcome.violations.isEmpty, families.contains(.deletions) { try await deleteDocument() }
    for device in devices + heirs { device.kill() }
    return outcome
  }

  /// Each device registers when what the others made has arrived.
  private func registerInTurn() async throws {
    for (index, device) in devices.enumerated() {
      // Every other one joins when there is something to begin with, perhaps.
      if families.contains(.wholeStores), !index.isMultiple(of: 2) { continue }
      device.storage.begin(.init())
      try await device.register()
      try await deliverAll()
    }
  }

  func deliverAll() async throws {
    server.showAll()
    replicator?.collect()
    try await replicator?.deliverAll(&random)
  }

  // MARK: Steps

  private func step(_ number: Int) async throws {
    let index = Int.random(in: 0..<devices.count, using: &random)
    let device = devices[index]
    if families.contains(.vacuums), random.oneIn(16) { disturb() }
    let pause = UInt64.random(in: 0...60_000, using: &random)
    for device in devices {
      // Where clocks are right they are equal, too: then much happens at one moment.
      device.clock.advance(
        families.contains(.wrongClocks) ? UInt64.random(in: 1...60_000, using: &random) : pause)
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: try edit(device)
    case 30..<60:
      if let absence, absence.device == index, absence.steps.contains(number) { return }
      await attempt(device)
    case 60..<85: try await deliver()
    case 85..<88: device.kill()
    case 88..<92: try backUpOrRestore(index)
    case 92..<94 where families.contains(.wrongClocks):
      device.clock.step(Int64.random(in: -10_000_000...10_000_000, using: &random))
    case 94..<96: try rollBack()
    case 96..<98: try await spoil()
    default:
      guard families.contains(.foreignFiles), let path = files(of: device).randomElement(using: &random),
        let folder = path.parent
      else { return }
      device.storage.addForeign(["desktop.ini", ".DS_Store", "Icon\r"][Int(random.next() % 3)], to: folder)
    }
  }

  func edit(_ device: SimulatedDevice) throws {
    guard device.isRegistered || families.contains(.earlyWrites) else { return }
    let shown = try device.notes()
    let name =
      random.oneIn(3)
      ? "note \(history.names.count)" : shown.keys.sorted().randomElement(using: &random)
    guard let name else { return }
    outcome.writes += 1
    if let text = shown[name], random.oneIn(6) {
      trace("\(device.name) deletes \(name)")
      let object = try device.delete(name)
      history.saved(name, nil, on: device.name, over: text, object: object)
    } else {
      texts += 1
      let text = "text \(texts)"
      trace("\(device.name) writes \(text) to \(name)\(shown[name].map { " over \($0)" } ?? "")")
      let isLong = families.contains(.longTexts) && texts.isMultiple(of: 3)
      let object = try device.write(name, text, isLong: isLong)
      history.saved(name, text, on: device.name, over: shown[name], object: object)
    }
  }

  private func attempt(_ device: SimulatedDevice) async {
    // Who comes late finds something to begin with.
    if families.contains(.wholeStores), !device.isRegistered, device.isBlank, !random.oneIn(5) { return }
    device.storage.begin(faults())
    let registers = !device.isRegistered || random.oneIn(20)
    trace("\(device.name) \(registers ? "registers" : "synchronises")")
    outcome.syncs += 1
    do {
      if registers {
        try await begin(device)
        try await device.register()
      } else if families.contains(.wholeStores), random.oneIn(3) {
        let upload = try await device.uploadStore()
        notePush(of: device)
        trace("  \(upload.name.name), \(upload.size == nil ? "which is there" : "uploaded")")
      } else if families.contains(.vacuums), random.oneIn(3) {
        let (grace, absence): (UInt64, UInt64?) = (
          random.oneIn(2) ? 0 : 200_000, random.oneIn(3) ? 400_000 : nil
        )
        let vacuum = try await device.vacuum(grace: grace, absence: absence)
        notePush(of: device)
        try await checkContract(of: vacuum.plan, by: device, mayPassOver: absence != nil)
        outcome.removed += vacuum.plan.sets.count
        let plan = vacuum.plan
        trace(
          "  removes \(plan.sets), \(plan.wholeStores), \(plan.heads), \(plan.longValues); announces \(plan.announced)"
        )
        if let obstacle = plan.obstacle { trace("  \(obstacle)") }
        if let report = vacuum.sync {
          noteGivingUp(report)
          trace("  \(report.pushed) out, \(report.pulled) in, \(report.findings)")
          try startOverIfTold(device, report)
        }
      } else if families.contains(.removals), random.oneIn(6) {
        try await removeAnother(device)
      } else if families.contains(.passwords), random.oneIn(4) {
        try await changePasswords(device)
      } else {
        let report = try await device.synchronize()
        notePush(of: device)
        trace("  \(report.pushed) out, \(report.pulled) in, \(report.findings)")
        noteUpload(report)
        noteRefusals(report.findings)
        noteGivingUp(report)
        try startOverIfTold(device, report)
        if families.contains(.passwords), lacksKey(report), random.oneIn(2) {
          await givePasswords(to: device)
        }
      }
    } catch let error as SyncError where error.code == .deviceRemoved {
      trace("  was removed")
      outcome.expelled += 1
      if random.oneIn(2) { _ = await comeBack(device) }
    } catch {
      outcome.failures += 1
      trace("  fails: \(error)")
      // Whatever becomes of the storage, no store of a device is ever damaged, and what else goes wrong has a name.
      if let code = (error as? SyncError)?.code, [.store, .failed].contains(code) {
        outcome.violations.append("\(device.name) fails: \(error)")
      }
    }
    if device.storage.isDead { device.kill() }
    noteDecisions(of: device)
  }

  /// Puts a whole store in the place of the store of a device that has never had one.
  func begin(_ device: SimulatedDevice) async throws {
    guard families.contains(.wholeStores), !device.isRegistered, device.isBlank else { return }
    // Who has the wrong password is asked for that of another device.
    for password in [device.password] + passwords.filter({ $0 != device.password }) {
      do {
        let begun = try await device.begin(other: password)
        if begun.store != nil {
          outcome.begun += 1
          withholdHeads(from: device)
        }
        noteRefusals(begun.findings)
        trace("  begins with \(begun.store?.name.description ?? "nothing"), \(begun.findings)")
        return
      } catch let error as SyncError
        where [.documentNotFound, .applicationNotFound, .wrongPassword, .keyMissing].contains(error.code)
      {
        trace("  cannot begin: \(error)")
        guard error.code == .wrongPassword else { return }
      }
    }
  }

  private func faults() -> SimulatedStorage.Faults {
    var faults = SimulatedStorage.Faults()
    if families.contains(.lostRequests), random.oneIn(3) { faults.lostRequests = 6 }
    if families.contains(.lostAnswers), random.oneIn(3) { faults.lostAnswers = 6 }
    if families.contains(.staleListings), random.oneIn(3) { faults.staleListings = 3 }
    if families.contains(.crashes), random.oneIn(3) {
      faults.survives = Int.random(in: 0..<15, using: &random)
      faults.lastTakesEffect = Bool.random(using: &random)
    }
    return faults
  }

  private func deliver() async throws {
    if families.contains(.lateFiles) {
      if random.oneIn(4) { return server.showAll() }
      guard let path = server.files.keys.sorted().randomElement(using: &random) else { return }
      trace("\(path) is late")
      server.hide(path)
    }
    replicator?.collect()
    try await replicator?.deliver(Int.random(in: 1...12, using: &random), &random)
  }

  private func backUpOrRestore(_ index: Int) throws {
    let device = devices[index]
    if random.oneIn(2) {
      guard families.contains(.restoredStores) || families.contains(.clonedStores) else { return }
      trace("\(device.name) is backed up")
      backups.append((index, try device.backUp(), history.backup(of: device.name)))
      return
    }
    let usable = backups.filter { families.contains($0.device == index ? .restoredStores : .clonedStores) }
    guard let chosen = usable.randomElement(using: &random) else { return }
    trace("\(device.name) is restored from a backup of \(devices[chosen.device].name)")
    try device.restore(chosen.backup)
    history.restored(device.name, from: chosen.history)
  }

  // MARK: The storage

  private func files(of device: SimulatedDevice) -> [RemotePath] { device.storage.files.files.keys.sorted() }

  private func rollBack() throws {
    guard families.contains(.rolledBack) else { return }
    guard let copy = earlier, random.oneIn(2) else {
      guard mayLoseRecords || devices.allSatisfy(\.isRegistered) else { return }
      earlier = server.copy()
      return
    }
    trace("the storage is rolled back")
    server.restore(copy)
    earlier = nil
    noteLoss()
  }

  func noteLoss() {
    losses += 1
    history.storageLost()
  }

  /// All copies of the storage, that of somebody who comes later among them.
  var copies: [MemoryBackend] {
    guard families.contains(.replicated) else { return [server] }
    let joined = devices.map(\.storage.files)
    guard let late = latecomer?.storage.files, !joined.contains(where: { $0 === late }) else { return joined }
    return joined + [late]
  }

  /// Loses, damages or obstructs a file for good, in all copies.
  private func spoil() async throws {
    guard !families.isDisjoint(with: Self.losses),
      let path = files(of: devices[0]).randomElement(using: &random),
      mayLoseRecords || !Self.isRecord(path)
    else { return }
    noteLoss()
    let others: Set = [ProtocolSimulation.Family.lostFiles, .torn]
    if families.contains(.obstructions), families.isDisjoint(with: others) || random.oneIn(2) {
      return try await obstruct(path)
    }
    if families.contains(.lostFiles), random.oneIn(2) {
      trace("the storage loses \(path)")
      for copy in copies where copy.files[path] != nil { try await copy.remove(path) }
    } else if families.contains(.torn) {
      trace("the storage damages \(path)")
      let length = Int.random(in: 0..<40, using: &random)
      for copy in copies { copy.tamper(path) { $0 = Array($0.prefix(length)) } }
    }
  }

  /// Whether what tells of foundings may be lost like anything else.
  var mayLoseRecords: Bool { !families.contains(.foundingRaces) || families.contains(.lostRecords) }

  static func isRecord(_ path: RemotePath) -> Bool {
    let endings = ["founding", "accepted", "keys", "wrapped"]
    return path.name.map { name in endings.contains { name.description.hasSuffix(".\($0)") } } ?? false
  }

  /// Whole stores that arrived as they were written never contradict themselves: no device of a run is hostile.
  func noteRefusals(_ findings: [SyncFinding]) {
    for case .wholeStoreRefused(let store, let why) in findings where why.contains("It") {
      let isOfClock = why.contains("clock") && families.contains(.wrongClocks)
      if !isOfClock { outcome.violations.append("\(store.name) is refused: \(why)") }
    }
  }

  func noteUpload(_ report: SyncReport) {
    guard let store = report.uploadedStore else { return }
    outcome.uploaded += 1
    trace("  uploads \(store.name) by itself")
  }

  func trace(_ text: String) {
    outcome.digest.add(text)
    guard configuration.traces else { return }
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
