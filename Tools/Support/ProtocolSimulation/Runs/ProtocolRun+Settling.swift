import Crypto
import Simulation
import SyncProtocol

/// What must hold once storage has delivered everything and nothing fails any more.
extension ProtocolRun {
  func settle() async throws {
    trace("everything settles")
    for device in devices {
      device.storage.removeForeign()
      // Whoever decides anew says something new.
      device.user = nil
    }
    try await deliverAll()
    try await settleObstructed()
    // Who has what the others lack may be away until they have given it up.
    if losses > 0, !families.contains(.vacuums), random.oneIn(3) {
      sleeper = devices.filter(\.isRegistered).randomElement(using: &random)
    }
    var blocked = try await synchronizeAll(rounds: Self.rounds)
    if let device = sleeper {
      blocked = try await waitForMonths(blocked)
      trace("\(device.name) comes back")
      sleeper = nil
      blocked = try await synchronizeAll(rounds: Self.rounds)
    }
    await finishReplacements()
    if families.contains(.lostRecords) || families.contains(.passwords) {
      passDay()
      blocked = try await synchronizeAll(rounds: Self.rounds)
      let isTold = !blocked.isEmpty || wayIn == .anotherReplacement
      if isTold, try await letInAgain() { blocked = try await synchronizeAll(rounds: Self.rounds) }
      if try await removeUnreadableKeyFiles() {
        passDay()
        blocked = try await synchronizeAll(rounds: Self.rounds)
      }
      if ignoresHeads { blocked = try await waitForCloserLooks() }
    }
    blocked = try await waitForMonths(blocked)
    var hasWaited = false
    isAllDelivered = true
    if devices.contains(where: \.storage.isWithholding) {
      trace("what was withheld is delivered")
      for device in devices { device.storage.release() }
      let returned = outcome.returned
      blocked = try await synchronizeAll(rounds: Self.rounds)
      blocked = try await waitForMonths(blocked)
      hasWaited = outcome.returned > returned
    }
    // What was given up is looked for with growing pauses.
    let most = families.contains(.vacuums) ? Self.longestPause : 3
    for _ in 0..<most where blocked.isEmpty {
      guard try await hasGivenUp() else { break }
      let shown = try members.map { try $0.notes() }
      // Who lacks nothing that shows looks all the same, and says what the others need not say any more.
      let mayFind = try await mayFindGivenUp()
      guard Set(shown).count > 1 || mayFind else { break }
      blocked = try await synchronizeAll(rounds: 1)
      hasWaited = true
    }
    // Who has taken over a whole store says what only he has, and others pass over what he was.
    if hasWaited, blocked.isEmpty { blocked = try await synchronizeAll(rounds: Self.rounds) }
    // Who waits for a long text asks several times until others than its writer send it.
    for _ in 0..<Self.rounds where blocked.isEmpty {
      guard try await !awaitedInVain().isEmpty else { break }
      blocked = try await synchronizeAll(rounds: 1)
    }
    // What replicators put aside meanwhile is a person's to remove.
    for device in devices { device.storage.removeForeign() }
    outcome.violations += blocked
    if blocked.isEmpty { try await compare() }
  }

  /// Devices that miss nothing look once a day whether the others have what they need.
  func passDay() {
    trace("a day goes by")
    for device in devices { device.clock.advance(25 * 60 * 60 * 1_000) }
  }

  /// Whether somebody has given up sets, in whatever he did.
  private func hasGivenUp() async throws -> Bool {
    for device in members where try await device.hasGivenUp() { return true }
    return outcome.givenUp > 0
  }

  /// Whether somebody lacks sets that a whole store may contain.
  private func mayFindGivenUp() async throws -> Bool {
    guard families.contains(.vacuums) else { return false }
    for device in members where try await device.hasGivenUp() { return true }
    return false
  }

  /// What was lost while its author's store was restored perhaps nobody has: it is given up after 30 days. What else of the same author was
  /// lost shows only then.
  func waitForMonths(_ before: [String]) async throws -> [String] {
    var blocked = before
    for _ in 0..<max(losses, 1) where isWaiting {
      trace("a month goes by")
      outcome.months += 1
      for device in devices { device.clock.advance(31 * 24 * 60 * 60 * 1_000) }
      blocked = try await synchronizeAll(rounds: Self.rounds)
    }
    return blocked
  }

  /// Whoever ignores heads looks with growing pauses whether there are foundings and keys that these belong to, and perhaps did so for the
  /// last time before somebody put back what storage had lost of them.
  private func waitForCloserLooks() async throws -> [String] {
    trace("devices look again whose heads they ignore")
    for _ in 0..<Self.longestPause where ignoresHeads { _ = try await synchronizeAll(rounds: 1) }
    return try await synchronizeAll(rounds: Self.rounds)
  }

  /// Synchronisations after which a device has looked again, at most: for a whole store that holds what it had given up, or for those whose
  /// heads it ignores.
  private static let longestPause = 65

  /// The devices that take part in the end.
  var members: [SimulatedDevice] { devices.filter { $0.isRegistered && !$0.staysAway && !$0.isGone } }

  /// Notes whose texts nobody has: storage has lost them, and the store of whoever wrote them was restored.
  private func lostTexts() async throws -> Set<String> {
    var lost: Set<String>?
    for device in members {
      let awaited = try await device.awaitedNotes()
      lost = lost?.intersection(awaited) ?? awaited
    }
    return lost ?? []
  }

  /// Notes whose texts a device waits for though another has them.
  func awaitedInVain() async throws -> [String] {
    guard families.contains(.longTexts) else { return [] }
    let lost = try await lostTexts()
    var inVain: [String] = []
    for device in members {
      inVain += try await device.awaitedNotes().subtracting(lost).sorted().map {
        "\(device.name) waits for the text of \($0), which another device has"
      }
    }
    return inVain
  }

  /// - Returns: who is blocked in the last round.
  func synchronizeAll(rounds: Int) async throws -> [String] {
    var blocked: [String] = []
    for _ in 0..<rounds {
      (blocked, isWaiting, ignoresHeads) = ([], false, false)
      unreadableKeyFiles = []
      for device in devices where device !== sleeper && !device.isGone {
        if let error = await complete(device), !isKeptOut(device, error) {
          blocked.append("\(device.name) is blocked: \(error)")
        }
        try await deliverAll()
      }
    }
    // Of a set without a head that cannot be read a device tells for a month, with pauses.
    for device in members where device !== sleeper {
      if try await device.missesHeads() { isWaiting = true }
    }
    return blocked
  }

  /// News needs one round, answers to it another; joined foundings and restated authors some more. An author whose store is gone
  /// is taken for gone when another device has waited for five synchronisations.
  static let rounds = 10

  /// Registers if need be, and synchronises.
  /// - Returns: why that does not work.
  func complete(_ device: SimulatedDevice) async -> (any Error)? {
    device.storage.begin(.init())
    do {
      if !device.isRegistered {
        try await begin(device)
        try await register(device)
      }
      let report = try await device.synchronize()
      device.staysAway = false
      trace("\(device.name): \(report.pushed) out, \(report.pulled) in, \(report.findings)")
      noteUpload(report)
      noteRefusals(report.findings)
      noteGivingUp(report)
      note(report)
      notePush(of: device)
      try startOverIfTold(device, report)
      for finding in report.findings {
        switch finding {
        case .waiting: isWaiting = true
        case .unverifiedHeads: ignoresHeads = true
        default: break
        }
      }
      unreadableKeyFiles.formUnion(missingKeys(report).compactMap(\.unreadableFile))
      if lacksKey(report) { await givePasswords(to: device) }
      return nil
    } catch let error as SyncError where error.code == .deviceRemoved && families.contains(.removals) {
      trace("\(device.name) was removed")
      if device.staysAway { return error }
      // Who has decided to stay away does not change that.
      device.staysAway = returnsNever()
      return device.staysAway ? error : await comeBack(device)
    } catch let error as SyncError where error.code == .documentNotFound && mayRefill {
      return await refill(device)
    } catch let error as SyncError where joinsAnother(error) {
      return await joinTheOther(device, error)
    } catch let error as SyncError
      where error.code == .keyMissing
      && !families.isDisjoint(with: [.lostRecords, .passwords])
    {
      await givePasswords(to: device)
      return error
    } catch {
      return error
    }
  }

  /// Nobody keeps the password, so who is told that a key is missing gives it again, and then that of the others.
  func givePasswords(to device: SimulatedDevice) async {
    for password in passwords {
      do {
        try await device.register(other: password)
      } catch let error as SyncError where error.code == .keyMissing {
        // “Join again with the password”: the keys at hand are of a founding that is gone.
        try? await device.register(other: password, keepsKeys: false)
      } catch {
        trace("\(device.name) gives a password: \(error)")
      }
    }
  }

  /// Does what the message says, for storage has delivered everything.
  private func refill(_ device: SimulatedDevice) async -> (any Error)? {
    trace("\(device.name) refills the remote")
    do {
      _ = try await device.refill()
      return nil
    } catch {
      return error
    }
  }

  /// Does what the message says: joins the document that bears the name now with a new store. What the device has made others need not
  /// have.
  private func joinTheOther(_ device: SimulatedDevice, _ error: SyncError) async -> (any Error)? {
    trace("\(device.name) joins the other document with a new store")
    do {
      noteLostKeys(of: device)
      // Others need not have met its founding: storage may have lost it before they could. It has none if it was just registering.
      metFoundings.formUnion((try? await device.foundings()) ?? [])
      try device.startOver()
      history.keptOut(device.name)
      return error
    } catch {
      return error
    }
  }

  /// Whether a device learns that others have founded the document anew, and has reason to.
  func joinsAnother(_ error: any Error) -> Bool {
    (error as? SyncError)?.code == .documentReplaced && mayBeReplaced
  }

  /// Whether storage may have lost the founding that a device alone was a member of, after which others founded the document again.
  private var mayBeReplaced: Bool {
    losses > 0 && mayLoseRecords && !families.isDisjoint(with: [.foundingRaces, .wholeStores])
  }

  /// Whether storage may have lost what tells that a document is there.
  private var mayRefill: Bool { !families.isDisjoint(with: Self.losses.union([.rolledBack])) }

  /// Whether a device stays outside, and says so, because storage has lost for good what it needs to register, when nobody knows of the
  /// device yet.
  func isKeptOut(_ device: SimulatedDevice, _ error: any Error) -> Bool {
    if device.staysAway, (error as? SyncError)?.code == .deviceRemoved { return true }
    guard !device.isRegistered, mayRefill,
      let error = error as? SyncError
    else { return false }
    return [.notDelivered, .keysNotDelivered].contains(error.code)
  }

  /// Registers with the own password or, if another device has founded, with that of the other, as the error asks.
  private func register(_ device: SimulatedDevice) async throws {
    do {
      try await device.register()
    } catch let error as SyncError
      where [.wrongPassword, .keyMissing].contains(error.code) && passwords.count > 1
    {
      var refusal = error
      for password in passwords where password != device.password {
        do {
          return try await device.register(other: password)
        } catch let error as SyncError where error.code == .wrongPassword {
          refusal = error
        }
      }
      throw refusal
    }
  }

  /// Names of sets and heads that lie somewhere in the clear, though the remote is encrypted.
  private var plainFiles: [String] {
    // A file that is there in part cannot be told from one in the clear.
    guard families.contains(.encrypted), families.isDisjoint(with: [.torn, .partialFiles]) else { return [] }
    return devices.flatMap { device in
      device.storage.files.files.filter { path, bytes in
        path.name.map { SetName($0) != nil || HeadName($0) != nil } ?? false
          && !SealedContainer.isSealed(bytes)
      }.keys.map(\.description).sorted()
    }
  }

  private func note(_ report: SyncReport) {
    for case .foundingUnconfirmed(let founding, _) in report.findings { metFoundings.insert(founding) }
    for finding in report.findings {
      switch finding {
      case .passwordMissing: wayIn = .anotherPassword
      case .replacementLate: wayIn = .anotherReplacement
      default: break
      }
    }
  }

  /// Foundings that devices have met and whose members are all gone: their stores were replaced by a backup of another device, or they
  /// were removed before they had met the others, or they have joined another document as they were told. Nobody can unite such a
  /// founding with another.
  func abandonedFoundings(_ members: [SimulatedDevice]) async throws -> Set<IntegrityKey> {
    guard !metFoundings.isEmpty else { return [] }
    var abandoned = metFoundings
    for device in members { abandoned.subtract(try await device.foundings()) }
    return abandoned
  }

  /// Whether a finding may stay for good, because it is about foundings without a member.
  private func tells(_ finding: SyncFinding, of abandoned: Set<IntegrityKey>) -> Bool {
    switch finding {
    case .foundingUnconfirmed(let founding, _): abandoned.contains(founding)
    // The only device that had new keys may be restored to before it made them, and the storage with it.
    case .unverifiedHeads: !abandoned.isEmpty || book.mayHaveNewKeys && mayForget
    default: false
    }
  }

  private func headCount(of device: SimulatedDevice) -> Int {
    device.storage.files.files.keys.count { $0.name.map { HeadName($0) != nil } ?? false }
  }

  func compare() async throws {
    outcome.violations += plainFiles.map { "\($0) is not encrypted" }
    let lost = families.contains(.longTexts) ? try await lostTexts() : []
    outcome.violations += try await awaitedInVain()
    for device in devices where device.staysAway { history.staysAway(device.name) }
    for device in devices where !device.isRegistered { history.keptOut(device.name) }
    let abandoned = try await abandonedFoundings(members)
    for device in members {
      var report = try await device.synchronize()
      var findings: [SyncFinding] {
        report.findings.filter { finding in
          if case .valueWaiting = finding, !lost.isEmpty { return false }
          return !tells(finding, of: abandoned)
        }
      }
      // Who lacks a set that nobody has looks now and then whether a whole store contains it.
      let most = report.blocked.isEmpty ? 1 : 2
      // What other devices are called is read from one head with each synchronisation, until all are known.
      for _ in 0..<headCount(of: device) where report.requests > most && findings.isEmpty {
        report = try await device.synchronize()
      }
      // What is awaited is fetched each time.
      let requests = lost.isEmpty ? report.requests : 1
      if !(1...most).contains(requests) || !findings.isEmpty {
        outcome.violations.append(
          "\(device.name) has nothing to do, and makes \(report.requests) requests and finds \(findings)"
        )
      }
    }
    let shown = try members.map { try $0.notes().filter { !lost.contains($0.key) } }
    for (device, notes) in zip(members, shown) {
      let texts = notes.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      trace("\(device.name) is \(try await device.standing()), and shows \(texts.joined(separator: ", "))")
    }
    guard !shown.isEmpty else { return }
    for (device, notes) in zip(members, shown) where notes != shown[0] {
      let names = Set(notes.keys).union(shown[0].keys).sorted()
      let differences = names.filter { notes[$0] != shown[0][$0] }.map {
        "\($0): \(notes[$0] ?? "-") instead of \(shown[0][$0] ?? "-")"
      }
      outcome.violations.append("\(device.name) differs from \(members[0].name): \(differences)")
    }
    outcome.violations += history.violations(of: shown[0], besides: lost)
  }
}
