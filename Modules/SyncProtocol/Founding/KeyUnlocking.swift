import Crypto

/// Tries a password on key files, within bounds that no number of strange files breaks.
package struct KeyUnlocking {
  /// Files that are read at most.
  private static let fileLimit = 256
  /// Work that is spent at most, in units of N·r·p: that of 64 slots of standard cost, about half a minute.
  private static let workLimit: UInt64 = 1 << 26

  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy

  package init(backend: any SyncBackend, hierarchy: ApplicationHierarchy) {
    self.backend = backend
    self.hierarchy = hierarchy
  }

  /// What came of it.
  package struct Result {
    /// The keys that the password opened, each once.
    package var keys: [MasterKey] = []
    /// Files that are no key files, or not those that their names say.
    package var unreadable: [KeyFileName] = []
  }

  /// Tries a password on files; those of the keys `first`, which founding records name, before others.
  package func unlock(
    _ files: [KeyFileName], _ password: String, first: Set<KeyIdentifier>
  ) async throws -> Result {
    var result = Result()
    var candidates: [(name: KeyFileName, file: KeyFile, work: UInt64)] = []
    // Those that founding records name go first: thousands of files of strangers crowd out nobody's.
    let named = files.filter { first.contains($0.key) }
    let others = files.filter { !first.contains($0.key) }
    for name in (named + others).prefix(Self.fileLimit) {
      try Task.checkCancellation()
      if let file = try await read(name) {
        candidates.append((name, file, file.slots.reduce(0) { $0 + $1.work }))
      } else {
        result.unreadable.append(name)
      }
    }
    // The cheapest first, so that dear files of strangers hold up nobody.
    candidates.sort { one, other in
      if one.work != other.work { return one.work < other.work }
      let (isFirst, isOther) = (first.contains(one.name.key), first.contains(other.name.key))
      return isFirst != isOther ? isFirst : one.name < other.name
    }
    var work: UInt64 = 0
    for (name, file, cost) in candidates where !result.keys.contains(where: { $0.identifier == name.key }) {
      try Task.checkCancellation()
      work += cost
      guard work <= Self.workLimit else { break }
      do throws(CryptoError) {
        result.keys.append(try file.unlock(password: password))
      } catch {
        switch error.code {
        case .wrongPassword: continue
        case .damaged: result.unreadable.append(name)
        default: throw error
        }
      }
    }
    return result
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
