import Crypto
import Simulation
import SyncProtocol

/// Passwords that change while devices synchronise.
extension ProtocolRun {
  /// The passwords that owners try: their own, and what others have told them.
  var passwords: [String] { book.all.sorted() }

  func changePasswords(_ device: SimulatedDevice) async throws {
    // Without encryption there are none.
    guard !book.all.isEmpty else { return }
    let known = book.all[Int.random(in: book.all.indices, using: &random)]
    let change: PasswordChange =
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<2: .add(book.fresh)
      case 2..<5: .change(from: known, to: book.fresh)
      case 5..<7: .remove(known)
      default: .replaceKeys(book.fresh)
      }
    try await make(change, on: device)
    // Now and then over and over again: what holds for some keys may not for many.
    if case .replaceKeys = change, random.oneIn(8) {
      for _ in 0..<20 { try await make(.replaceKeys(book.fresh), on: device) }
    }
  }

  private func make(_ change: PasswordChange, on device: SimulatedDevice) async throws {
    trace("  \(change)")
    book.begin(change)
    if case .replaceKeys = change { unfinished.append((device, change)) }
    try await complete(change, on: device)
    unfinished.removeAll { $0.change.added == change.added }
  }

  private func complete(_ change: PasswordChange, on device: SimulatedDevice) async throws {
    let keys = try await device.changePasswords(change)
    book.complete(change, on: device.name, under: keys)
    outcome.passwordChanges += 1
    // Another store, or one of before, does not know what was taken away.
    let remembers = families.isDisjoint(with: [.restoredStores, .clonedStores, .foundingRaces, .wholeStores])
    if remembers, book.hasTakenAwayAll(device.name) {
      outcome.violations.append("\(device.name) has taken away the last password, and each before")
    }
  }

  /// Who was told that it failed to replace the keys does it again, for a part of it may have been done. Nobody does so with a password that
  /// was removed meanwhile.
  func finishReplacements() async {
    for (device, change) in unfinished
    where device.isRegistered && !(change.added.map(book.removed.contains) ?? false) {
      trace("\(device.name) tries again: \(change)")
      do {
        try await complete(change, on: device)
      } catch {
        trace("  fails: \(error)")
      }
    }
    unfinished = []
  }

  /// A device is about to join another document, and gives up its own. Keys of which no file is there are lost with that one, if there is
  /// none of any key that the device holds.
  func noteLostKeys(of device: SimulatedDevice) {
    let keys = device.heldKeys
    if keys.isDisjoint(with: device.keyFiles.map(\.key)) { book.lose(keys) }
  }

  func lacksKey(_ report: SyncReport) -> Bool { !missingKeys(report).isEmpty }

  /// The keys that a device was told are missing.
  func missingKeys(_ report: SyncReport) -> [MissingKey] {
    report.findings.compactMap { if case .keyMissing(let key) = $0 { key } else { nil } }
  }

  /// Whoever comes now joins with the passwords that were left, and with no other.
  func comparePasswords() async throws {
    let members = self.members
    guard let device = members.first, try await abandonedFoundings(members).isEmpty else { return }
    device.storage.begin(.init())
    let found = try await opening(device)
    let opening = found.map(\.password)
    trace("the remote is opened by \(opening)")
    if opening.isEmpty { return try await openAgain(on: device) }
    // What storage has lost before another device kept it, nobody puts back whose owner was removed and leaves it at that.
    let absent = losses > 0 ? Set(devices.filter(\.staysAway).map(\.name)) : []
    if !book.mayHaveNewKeys, !mayForget {
      outcome.violations += book.known(book.lasting, without: absent).subtracting(opening).sorted().map {
        "“\($0)” opens nothing any more"
      }
    }
    if !mayForget {
      outcome.violations += book.known(book.removed, without: absent).intersection(opening).sorted().map {
        name in
        "“\(name)” opens the remote, although it was removed"
      }
    }
    let new = book.fresh
    let newest = found.map(\.generation).max() ?? 0
    var refusal: SyncError?
    for (one, generation) in found {
      trace("\(device.name) changes \(one) to \(new)")
      do {
        try await changeInTheEnd(.change(from: one, to: new), on: device)
      } catch let error as SyncError {
        refusal = error
        // What opens a key of before, which came back with an old storage, is no password of the one that sealing goes on with. And what
        // opens a key that is older than that of another password is withdrawn as soon as somebody was given both.
        let isSuperseded =
          error.code == .wrongPassword && generation < newest ? try await !device.opens(one) : false
        guard mayForget || isSuperseded else { break }
        continue
      }
      if try await !device.opens(new) { outcome.violations.append("“\(new)” opens nothing") }
      if try await device.opens(one) {
        outcome.violations.append("“\(one)” opens the remote after it was changed")
      }
      return
    }
    if let refusal { outcome.violations.append("\(device.name) cannot change a password: \(refusal)") }
  }

  /// What a member is told to do so that a password opens the remote again.
  enum WayIn {
    /// The last ones were removed by devices that did not know of each other: to add one.
    case anotherPassword
    /// The keys were replaced, and storage has lost the file of the new one: to replace them once more.
    case anotherReplacement
  }

  /// Lets in who waits for a password, where members were told that none opens the remote any more: one of them does what they were told,
  /// which nobody who waits could do.
  ///
  /// - Returns: whether there is a password again.
  func letInAgain() async throws -> Bool {
    guard wayIn != nil, let device = members.first else { return false }
    device.storage.begin(.init())
    guard try await opening(device).isEmpty else { return false }
    try await openAgain(on: device)
    return try await !opening(device).isEmpty
  }

  /// Does what members are told where a key is missing whose file storage has damaged: they remove it.
  ///
  /// - Returns: whether there was one.
  func removeUnreadableKeyFiles() async throws -> Bool {
    let files = unreadableKeyFiles
    guard !files.isEmpty, let device = members.first else { return false }
    trace("\(device.name) removes key files that nobody can read: \(files.map(\.name).sorted())")
    device.storage.begin(.init())
    for path in device.storage.files.files.keys.sorted()
    where path.name.flatMap({ KeyFileName($0) }).map(files.contains) ?? false {
      try await device.storage.remove(path)
    }
    try await deliverAll()
    return true
  }

  /// Does what the message says where no password opens the remote.
  private func openAgain(on device: SimulatedDevice) async throws {
    guard let wayIn else {
      outcome.violations.append("no password opens the remote, and nobody was told")
      return
    }
    self.wayIn = nil
    let new = book.fresh
    let change: PasswordChange =
      switch wayIn {
      case .anotherPassword: .add(new)
      case .anotherReplacement: .replaceKeys(new)
      }
    trace("\(device.name) lets others in again: \(change)")
    book.begin(change)
    do {
      let keys = try await changeInTheEnd(change, on: device)
      book.complete(change, on: device.name, under: keys)
    } catch let error as SyncError {
      outcome.violations.append("\(device.name) cannot let others in again: \(error)")
    }
    if try await !device.opens(new) { outcome.violations.append("“\(new)” opens nothing") }
  }

  /// Does what the message says where somebody has replaced the keys, or begun to, who has written nothing since.
  ///
  /// - Returns: the keys of which files were written.
  @discardableResult
  private func changeInTheEnd(_ change: PasswordChange, on device: SimulatedDevice) async throws
    -> Set<KeyIdentifier>
  {
    do {
      return try await device.changePasswords(change)
    } catch let error as SyncError where [.keyMissing, .wrongPassword].contains(error.code) {
      trace("\(device.name) cannot do so: \(error)")
      await givePasswords(to: device)
      return try await device.changePasswords(change)
    }
  }

  /// The passwords that open the remote, and the generation of the newest key that each leads to.
  private func opening(_ device: SimulatedDevice) async throws -> [(password: String, generation: Int)] {
    var opening: [(password: String, generation: Int)] = []
    for password in book.all {
      guard let generation = try await device.generation(opening: password) else { continue }
      opening.append((password, generation))
    }
    return opening
  }

  /// Whether both the storage and the device that changed passwords may have gone back to before that. Where a folder has come to lie in the
  /// place of a withdrawal, its name says the same, but copies of the remote that the file had not reached do not show it.
  var mayForget: Bool {
    let isStorageBack =
      !families.isDisjoint(with: [.rolledBack, .lostFiles, .torn])
      || families.isSuperset(of: [.obstructions, .replicated])
    return isStorageBack && !families.isDisjoint(with: [.restoredStores, .clonedStores])
  }
}
