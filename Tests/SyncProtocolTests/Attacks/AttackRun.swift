import ChangeTracking
import Foundation
import Inspection
import Locking
import SyncProtocol

/// What came of one attack, as far as it can be seen from outside.
struct AttackObservation: Sendable {
  /// Whether the inspector names the file, or the folder that lacks it, right after the attack.
  var isNamed = false
  /// Whether a synchronisation of a member told of something, by a finding or a failure.
  var isTold = false
  /// Whether a newcomer was told of something.
  var isNewcomerTold = false
  /// Whether the members agreed while the attack stood.
  var membersAgree = false
  /// Whether a newcomer agreed with them.
  var newcomerAgrees = false
  /// Members whose synchronisations failed to the last.
  var stopped = 0
  /// Whether all of them did.
  var isStopped = false
  /// Whether what lay there lies there again.
  var isHealed = false
  /// Whether all agreed once what the attacker had put there was removed.
  var agreesOnceRemoved = false
  /// Whether all agreed once what lay there before was put back.
  var agreesOnceRestored = false
  /// Of one synchronisation or registration at most.
  var requests = 0
  var bytes: Int64 = 0
  /// Of all synchronisations while the attack stood and nothing was left to do.
  var lastingRequests = 0
  /// Devices that show what no member wrote.
  var wrong: [String] = []
  /// Files of devices that hold what must be encrypted.
  var readable: [String] = []
  var log: [String] = []
}

/// Three members and a newcomer who meet an attack.
final class AttackRun: Sendable {
  private let stage: AttackStage
  private let remote: AttackRemote
  private let workplace: Workplace
  private let members: [Device]
  private let newcomer: Device
  private let state = Locked(AttackObservation())
  private let expected: Set<String>
  /// While the attack stands.
  private static let rounds = 7

  init(_ stage: AttackStage, seed: UInt64) throws {
    self.stage = stage
    remote = try AttackRemote()
    try remote.copy(stage.remote)
    (workplace, members) = try stage.members(seed: seed)
    newcomer = Device("device-n", in: workplace)
    expected = Set(
      try members[0].notes + members.map { "during the attack of \($0.client): \(AttackStage.secret)" })
  }

  private func note(_ change: @Sendable (inout AttackObservation) -> Void) { state.withLock { change(&$0) } }

  /// Attacks, lets everybody synchronise, takes the attack back, and lets everybody synchronise again.
  func run(_ attack: Attack, _ way: Attack.Way, on file: AttackedFile) async throws -> AttackObservation? {
    for device in members {
      try device.write("during the attack of \(device.client)", AttackStage.secret)
    }
    let before = remote.contents
    let sound = await findings()
    let damage = try remote.inflict(attack, way, on: file, of: stage)
    guard !damage.originals.isEmpty || !damage.folders.isEmpty else { return nil }
    let put = remote.contents.filter { before[$0.key] != $0.value }
    await inspect(damage, attack, before: sound)

    var isRegistered = false
    for round in 1...Self.rounds {
      // What is looked after once a day is looked after now.
      if round == 4 { workplace.clock.advance(25 * 60 * 60 * 1_000) }
      for device in members { await sync(device, isLast: round == Self.rounds) }
      isRegistered = await join(isRegistered, beginning: file == .wholeStore)
      if round > 1, isRegistered { await sync(newcomer, isLast: false) }
    }
    try observe(damage, before, put)

    try remote.clear(damage)
    let isCleared = try await settle(isRegistered)
    note { $0.agreesOnceRemoved = isCleared }
    if !isCleared {
      try remote.restore(damage)
      let isRestored = try await settle(isRegistered)
      note { $0.agreesOnceRestored = isRestored }
    }
    try compare()
    return state.withLock { $0 }
  }

  // MARK: Synchronising

  private func sync(_ device: Device, isLast: Bool) async {
    let isMember = device.client != newcomer.client
    do {
      let report = try await device.sync(remote.backend)
      note { seen in
        seen.requests = max(seen.requests, report.requests)
        seen.bytes = max(seen.bytes, report.bytes)
        // That others have said something again is no news of the attack.
        let findings = report.findings.filter { if case .superseded = $0 { false } else { true } }
        if !findings.isEmpty {
          if isMember { seen.isTold = true } else { seen.isNewcomerTold = true }
          seen.log.append("\(device.client): \(findings.map(report.sentence).joined(separator: " | "))")
        }
        if isLast { seen.lastingRequests = max(seen.lastingRequests, report.requests) }
      }
    } catch {
      note { seen in
        if isMember { seen.isTold = true } else { seen.isNewcomerTold = true }
        if isLast { seen.stopped += 1 }
        seen.log.append("\(device.client) fails: \(error)")
      }
    }
  }

  private func join(_ isRegistered: Bool, beginning: Bool) async -> Bool {
    if isRegistered { return true }
    let counting = CountingBackend(remote.backend)
    defer {
      let count = counting.count
      note { seen in
        seen.requests = max(seen.requests, count.requests)
        seen.bytes = max(seen.bytes, count.bytes)
      }
    }
    do {
      guard beginning else {
        try await newcomer.register(counting, stage.encryption, mayCreate: false)
        return true
      }
      // All others join with the sets, so that what becomes of those shows.
      let findings = try await newcomer.begin(counting, stage.encryption).findings
      note { seen in
        if !findings.isEmpty { seen.isNewcomerTold = true }
        seen.log += findings.map { "\(newcomer.client): \($0)" }
      }
      return true
    } catch {
      note { seen in
        seen.isNewcomerTold = true
        seen.log.append("\(newcomer.client) cannot join: \(error)")
      }
      return false
    }
  }

  private func settle(_ isRegistered: Bool) async throws -> Bool {
    var isRegistered = isRegistered
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    for _ in 1...16 {
      for device in members { _ = try? await device.sync(remote.backend) }
      if !isRegistered {
        let registration = try? await newcomer.register(remote.backend, stage.encryption, mayCreate: false)
        isRegistered = registration != nil
      }
      if isRegistered { _ = try? await newcomer.sync(remote.backend) }
      if try agree(members + [newcomer]) { return true }
    }
    return false
  }

  // MARK: Observing

  private func agree(_ devices: [Device]) throws -> Bool {
    try devices.allSatisfy { Set(try $0.notes) == expected }
  }

  private func findings() async -> Set<Finding> {
    let inspector = RemoteInspector(backend: remote.backend, password: stage.isEncrypted ? "pass" : nil)
    do {
      return Set(try await inspector.verify().findings)
    } catch InspectionError.keyFilesCrowded {
      // It says of which folder the key files are too many.
      return [Finding(.unreadable, path: "com.example.notes/Encryption", message: "", next: "")]
    } catch {
      return [Finding(.unreadable, path: "", message: "verify fails: \(error)", next: "")]
    }
  }

  /// Whether the inspector finds more than before, and at the place where something was done or the one that lacks something.
  private func inspect(_ damage: Damage, _ attack: Attack, before: Set<Finding>) async {
    let places = Set(damage.originals.keys).union(damage.folders.keys)
    let new = await findings().subtracting(before).sorted { $0.path < $1.path }
    let named = new.filter { finding in
      // What is missing is told by what mentions it.
      attack == .removed || attack == .linked || attack == .cut || attack == .emptied
        || places.contains {
          $0 == finding.path || $0.hasPrefix("\(finding.path)/") || finding.path.hasPrefix("\($0)/")
        }
    }
    note { seen in
      seen.isNamed = !named.isEmpty && !new.contains { $0.path.isEmpty }
      seen.log += new.prefix(3).map { "verify: \($0.path): \($0.message)" }
    }
  }

  private func observe(_ damage: Damage, _ before: [String: Data], _ put: [String: Data]) throws {
    let agree = try agree(members)
    let newcomerAgrees = try self.agree([newcomer])
    let now = remote.contents
    let lost = damage.originals.filter { $0.value != nil }.keys + damage.folders.values.flatMap(\.keys)
    // What is sealed anew has other bytes than before.
    let isHealed = lost.allSatisfy { now[$0] != nil && (now[$0] != put[$0] || now[$0] == before[$0]) }
    var readable: [String] = []
    if stage.isEncrypted {
      let marks = [AttackStage.secret, "during the attack"].map { Data($0.utf8) }
      for (path, data) in now where put[path] != data && marks.contains(where: { data.range(of: $0) != nil })
      {
        readable.append(path)
      }
    }
    let found = readable
    note { [members] seen in
      seen.membersAgree = agree
      seen.newcomerAgrees = newcomerAgrees
      seen.isStopped = seen.stopped == members.count
      seen.isHealed = isHealed && !lost.isEmpty
      seen.readable = found
    }
    try compare()
  }

  private func compare() throws {
    var wrong: [String] = []
    for device in members + [newcomer] {
      // A long value that has not come yet shows nothing, as before.
      let strange = Set(try device.notes).subtracting(expected).filter {
        !$0.hasPrefix("long of ") || !$0.hasSuffix(": -")
      }
      if !strange.isEmpty { wrong.append("\(device.client): \(strange.map { String($0.prefix(60)) })") }
    }
    let found = wrong
    note { $0.wrong += found }
  }
}
