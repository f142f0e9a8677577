import ChangeTracking
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

  /// Tries after which they are remembered.
  private static let keepInterval = 16

  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  private let workLimit: UInt64
  private let timeLimit: Duration
  /// The time since any moment.
  private let elapsed: @Sendable () -> Duration
  private let memory: KeyFileMemory?

  package init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, workLimit: UInt64 = Self.workLimit,
    timeLimit: Duration = Self.timeLimit, elapsed: (@Sendable () -> Duration)? = nil
  ) {
    self.init(
      backend: backend, hierarchy: hierarchy, workLimit: workLimit, timeLimit: timeLimit, elapsed: elapsed,
      memory: nil)
  }

  /// - Parameter memory: remembers what was tried, so that trying again goes on with the rest.
  init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, workLimit: UInt64 = Self.workLimit,
    timeLimit: Duration = Self.timeLimit, elapsed: (@Sendable () -> Duration)? = nil, memory: KeyFileMemory?
  ) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.memory = memory
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
    /// Those of them that the storage does not hand out: nothing tells what they hold.
    package var refused: [KeyFileName: BackendError] = [:]
    /// Whether there were too many files for the password to be tried on each, and it opened none.
    package var isCutShort = false
    /// The files that it was tried on.
    package var tried = 0
    /// The files that it was tried on before, and that are passed over.
    package var triedBefore = 0
    /// Whether trying again goes on with the rest.
    package var isRemembered = false
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

  /// Tries a password, or a recovery code, on files. What was withdrawn opens nothing.
  ///
  /// - Parameters:
  ///   - first: the keys that founding records name: a hint, and no more.
  ///   - written: when files were written, as far as the storage says: likewise.
  package func unlock(
    _ files: [KeyFileName], _ password: String, first: Set<KeyIdentifier>,
    withdrawals: Set<WithdrawalName> = [], written: [KeyFileName: Duration] = [:]
  ) async throws -> Result {
    var result = Result()
    var (tries, witness) = memory?.recall(password) ?? (KeyFileTries(), nil)
    let order = KeyFileOrder(written: written, first: first)
    // Whoever puts thousands of files there cannot know which are read of too many.
    let mixed = files.count > Self.fileLimit ? order.mixed(files) { $0 } : files
    let queue = tries.inTurns(mixed) { tries.contents[$0] }
    var candidates: [Candidate] = []
    var next = 0
    while next < queue.count, next < Self.readLimit, candidates.count < Self.fileLimit {
      try Task.checkCancellation()
      let name = queue[next]
      next += 1
      let file: KeyFile
      switch try await read(name) {
      case .file(let found): file = found
      case .unusable:
        result.unreadable.append(name)
        continue
      case .refused(let failure):
        result.unreadable.append(name)
        result.refused[name] = failure
        continue
      }
      result.remaining.insert(name.key)
      let candidate = Candidate(name: name, file: file)
      tries.note(name, candidate.content)
      if tries.hasFailed(candidate.content) {
        result.triedBefore += 1
      } else {
        candidates.append(candidate)
      }
    }
    var isCutShort = next < queue.count
    result.remaining.formUnion(queue[next...].map(\.key))
    result.triedBefore += queue[next...].filter { tries.contents[$0].map(tries.hasFailed) ?? false }.count
    let ordered = inOrder(candidates, order, tries)
    let isCrowded = isCutShort || ordered.reduce(0) { $0 &+ $1.work } > workLimit
    let start = elapsed()
    var work: UInt64 = 0
    var limit = workLimit
    // One file that lies there many times is tried once.
    var failed: Set<[KeyFile.Slot]> = []
    for candidate in ordered
    where !result.keys.contains(where: { $0.identifier == candidate.name.key }) {
      try Task.checkCancellation()
      guard !failed.contains(candidate.file.slots) else {
        tries.note(.failed, candidate.content)
        continue
      }
      work += candidate.work
      guard work <= limit, result.tried == 0 || elapsed() - start < timeLimit else {
        isCutShort = true
        break
      }
      result.tried += 1
      do throws(CryptoError) {
        if let key = try open(candidate.file, password, withdrawals) {
          result.keys.append(key)
          limit = min(limit, work + Self.workLimitAfterSuccess)
          result.opened.append(Opened(name: candidate.name, bytes: candidate.file.bytes))
        } else {
          result.isWithdrawn = true
          tries.note(.withdrawn, candidate.content)
        }
      } catch {
        switch error.code {
        case .wrongPassword: failed.insert(candidate.file.slots)
        case .damaged: result.unreadable.append(candidate.name)
        default: throw error
        }
        tries.note(.failed, candidate.content)
      }
      // Whoever breaks it off has not waited in vain.
      if isCrowded, result.keys.isEmpty, result.tried.isMultiple(of: Self.keepInterval) {
        _ = keep(tries, &witness, password)
      }
    }
    result.isCutShort = isCutShort && result.keys.isEmpty
    if !result.keys.isEmpty {
      memory?.forget()
    } else if isCutShort || witness != nil {
      tries.prune(to: files)
      result.isRemembered = keep(tries, &witness, password)
    }
    return result
  }

  private func keep(
    _ tries: KeyFileTries, _ witness: inout KeyFileMemory.Witness?, _ password: String
  ) -> Bool {
    guard let memory else { return false }
    witness = witness ?? memory.witness(password)
    return witness.map { memory.keep(tries, $0) } ?? false
  }

  /// A key file that has not failed.
  private struct Candidate {
    let name: KeyFileName
    let file: KeyFile
    let content: ContentHash
    let work: UInt64

    init(name: KeyFileName, file: KeyFile) {
      self.name = name
      self.file = file
      content = ContentHash(of: file.bytes)
      work = file.slots.reduce(0) { $0 + $1.work }
    }
  }

  /// The cheapest first, so that dear files of strangers hold up nobody; where somebody has put so many there that the right one would never
  /// have its turn, as ``KeyFileOrder`` says. Those that were seen at an earlier attempt go before all others.
  private func inOrder(_ candidates: [Candidate], _ order: KeyFileOrder, _ tries: KeyFileTries) -> [Candidate]
  {
    var candidates = candidates.sorted { one, other in
      if one.work != other.work { return one.work < other.work }
      let (isFirst, isOther) = (order.first.contains(one.name.key), order.first.contains(other.name.key))
      return isFirst != isOther ? isFirst : one.name < other.name
    }
    if candidates.reduce(0, { $0 &+ $1.work }) > workLimit {
      let usual = candidates.filter { $0.work <= Self.usualWork }
      candidates = order.mixed(usual) { $0.name } + candidates.filter { $0.work > Self.usualWork }
    }
    return tries.inTurns(candidates) { $0.content }
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
    guard !withdrawn.contains(where: { $0 == WithdrawalName.everySlot }) else { return nil }
    guard withdrawn.contains(slot) else { return key }
    do throws(CryptoError) {
      return try file.open(password, except: withdrawn).key
    } catch {
      guard error.code == .wrongPassword else { throw error }
      return nil
    }
  }

  /// Those of some files that are no key files, or not those that their names say, being damaged or not there in full; with the reason if
  /// the storage keeps them back. Of more than are tried at once the rest counts as readable.
  func unreadable(_ files: [KeyFileName]) async throws -> [KeyFileName: BackendError?] {
    var unreadable: [KeyFileName: BackendError?] = [:]
    for name in files.prefix(Self.fileLimit) {
      try Task.checkCancellation()
      switch try await read(name) {
      case .file: continue
      case .unusable: unreadable.updateValue(nil, forKey: name)
      case .refused(let failure): unreadable[name] = failure
      }
    }
    return unreadable
  }

  /// What lies under the name of a key file.
  private enum Reading {
    case file(KeyFile)
    /// It is no key file, holds another key than its name says, or is not there.
    case unusable
    /// The storage does not hand it out.
    case refused(BackendError)
  }

  private func read(_ name: KeyFileName) async throws -> Reading {
    let bytes: [UInt8]
    do throws(BackendError) {
      bytes = try await backend.download(hierarchy.encryption / name.name, limit: KeyFile.maximumSize)
    } catch {
      guard error.isAboutOneFile else { throw error }
      return error.code == .forbidden ? .refused(error) : .unusable
    }
    guard let file = try? KeyFile(parsing: bytes), file.keyIdentifier == name.key else { return .unusable }
    return .file(file)
  }
}

extension KeyFile.Slot {
  /// What trying one secret costs, in units of N·r·p.
  fileprivate var work: UInt64 { parameters.cost * parameters.blockSize * parameters.parallelization }
}
