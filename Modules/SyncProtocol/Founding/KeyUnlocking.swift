import Crypto

/// Tries a password on key files, within bounds that no number of strange files breaks.
package struct KeyUnlocking {
  /// Key files that are tried at most.
  private static let fileLimit = 256
  /// Files that are read at most to find these among what only bears such a name.
  private static let readLimit = 4_096
  /// Work that is spent at most, in units of N·r·p: that of 64 slots of standard cost, about half a minute.
  package static let workLimit: UInt64 = 1 << 26
  /// What is spent at most once a key is open: the others are those of foundings that met.
  private static let workLimitAfterSuccess: UInt64 = 1 << 23
  /// What files of the usual cost stay below.
  private static let usualWork: UInt64 = 1 << 21
  /// How long files are tried at most, but for the last attempt: on a slow device the same work takes minutes.
  package static let timeLimit: Duration = .seconds(30)

  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  private let workLimit: UInt64
  private let timeLimit: Duration
  /// The time since any moment.
  private let elapsed: @Sendable () -> Duration

  package init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, workLimit: UInt64 = Self.workLimit,
    timeLimit: Duration = Self.timeLimit, elapsed: (@Sendable () -> Duration)? = nil
  ) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.workLimit = workLimit
    self.timeLimit = timeLimit
    let made = ContinuousClock.now
    self.elapsed = elapsed ?? { made.duration(to: .now) }
  }

  /// What came of it.
  package struct Result {
    /// The keys that the password opened, each once.
    package var keys: [MasterKey] = []
    /// Files that are no key files, or not those that their names say.
    package var unreadable: [KeyFileName] = []
    /// Whether there were too many files for the password to be tried on each, and it opened none.
    package var isCutShort = false
    /// The files that it was tried on.
    package var tried = 0
    /// The keys of which nothing is known but that there are files: those of which a file could be read, or none was looked at.
    var remaining: Set<KeyIdentifier> = []
    /// Whether it was the password of slots that were withdrawn.
    package var isWithdrawn = false
    /// The files that the password opened.
    var opened: [Opened] = []
  }

  /// A key file that a password opened.
  struct Opened: Sendable {
    var name: KeyFileName
    var bytes: [UInt8]
  }

  /// Tries a password, or a recovery code, on files; those of the keys `first`, which founding records name, before others. What was withdrawn
  /// opens nothing.
  ///
  /// - Parameter written: when files were written, as far as the storage says; a hint, and no more.
  package func unlock(
    _ files: [KeyFileName], _ password: String, first: Set<KeyIdentifier>,
    withdrawals: Set<WithdrawalName> = [], written: [KeyFileName: Duration] = [:]
  ) async throws -> Result {
    var result = Result()
    var candidates: [(name: KeyFileName, file: KeyFile, work: UInt64)] = []
    // Those that founding records name go first: thousands of files of strangers crowd out nobody's. Whoever takes the names of these as
    // well cannot know which are read of too many.
    let isTooMany = files.count > Self.fileLimit
    let turns = KeyFileOrder(written: written)
    let order = isTooMany ? turns.mixed(files) { $0 } : files
    let queue = order.filter { first.contains($0.key) } + order.filter { !first.contains($0.key) }
    var next = 0
    while next < queue.count, next < Self.readLimit, candidates.count < Self.fileLimit {
      try Task.checkCancellation()
      let name = queue[next]
      next += 1
      if let file = try await read(name) {
        candidates.append((name, file, file.slots.reduce(0) { $0 + $1.work }))
      } else {
        result.unreadable.append(name)
      }
    }
    var isCutShort = next < queue.count
    result.remaining = Set(candidates.map(\.name.key) + queue[next...].map(\.key))
    // The cheapest first, so that dear files of strangers hold up nobody.
    candidates.sort { one, other in
      if one.work != other.work { return one.work < other.work }
      let (isFirst, isOther) = (first.contains(one.name.key), first.contains(other.name.key))
      return isFirst != isOther ? isFirst : one.name < other.name
    }
    var work: UInt64 = 0
    var limit = workLimit
    if candidates.reduce(0, { $0 &+ $1.work }) > limit {
      // Somebody has put files there so that the right one would never have its turn.
      let usual = candidates.filter { $0.work <= Self.usualWork }
      candidates = turns.mixed(usual) { $0.name } + candidates.filter { $0.work > Self.usualWork }
    }
    let start = elapsed()
    // One file that lies there many times is tried once.
    var failed: Set<[KeyFile.Slot]> = []
    for (name, file, cost) in candidates
    where !result.keys.contains(where: { $0.identifier == name.key }) && !failed.contains(file.slots) {
      try Task.checkCancellation()
      work += cost
      guard work <= limit, result.tried == 0 || elapsed() - start < timeLimit else {
        isCutShort = true
        break
      }
      result.tried += 1
      do throws(CryptoError) {
        guard let key = try open(file, password, withdrawals) else {
          result.isWithdrawn = true
          continue
        }
        result.keys.append(key)
        limit = min(limit, work + Self.workLimitAfterSuccess)
        result.opened.append(Opened(name: name, bytes: file.bytes))
      } catch {
        switch error.code {
        case .wrongPassword: failed.insert(file.slots)
        case .damaged: result.unreadable.append(name)
        default: throw error
        }
      }
    }
    result.isCutShort = isCutShort && result.keys.isEmpty
    return result
  }

  /// The key of a file; `nil` if the password opens only slots that were withdrawn.
  private func open(
    _ file: KeyFile, _ password: String, _ withdrawals: Set<WithdrawalName>
  ) throws(CryptoError) -> MasterKey? {
    let said = withdrawals.filter { $0.key == file.keyIdentifier }
    let (slot, key) = try file.open(password, last: Set(said.map(\.slot)))
    // Anybody can write such a name. Whether a member did, the key tells.
    let names = try NameAuthenticator(keys: KeyRing(key))
    let withdrawn = Set(said.filter { hierarchy.isGenuine($0, names) }.map(\.slot))
    guard withdrawn.contains(slot) else { return key }
    do throws(CryptoError) {
      return try file.open(password, except: withdrawn).key
    } catch {
      guard error.code == .wrongPassword else { throw error }
      return nil
    }
  }

  /// `nil` if it is no key file, or holds another key than its name says.
  private func read(_ name: KeyFileName) async throws -> KeyFile? {
    let bytes: [UInt8]
    do throws(BackendError) {
      bytes = try await backend.download(hierarchy.encryption / name.name, limit: KeyFile.maximumSize)
    } catch {
      guard error.isAboutOneFile else { throw error }
      return nil
    }
    guard let file = try? KeyFile(parsing: bytes), file.keyIdentifier == name.key else { return nil }
    return file
  }
}

extension KeyFile.Slot {
  /// What trying one secret costs, in units of N·r·p.
  fileprivate var work: UInt64 { parameters.cost * parameters.blockSize * parameters.parallelization }
}
