import Crypto
import SyncProtocol

/// The keys of one application on a remote.
enum ApplicationKeys: Sendable {
  /// There is no key file.
  case notEncrypted
  /// It is encrypted, as far as can be told, and no password was given or no key file is there, or none can be seen.
  case locked
  /// It is encrypted, and the password opens no key file that can be used, but this one is damaged, which may be what it opens.
  case unreadable(KeyFileName)
  /// The keys that the password opens; the first is the one that devices seal with.
  case unlocked(KeyRing)

  /// Greatest size of a key file that is looked at, in bytes.
  static let sizeLimit = 64 << 10

  var ring: KeyRing? {
    if case .unlocked(let ring) = self { ring } else { nil }
  }

  /// Whether anything shows that the application is encrypted.
  var isEncrypted: Bool { if case .notEncrypted = self { false } else { true } }

  /// Opens the key files below an application's folder, within the bounds that devices keep to: whoever writes there makes nobody try a
  /// password without end.
  ///
  /// A file that is damaged is reported by the verification; here it only matters if no other opens.
  ///
  /// - Parameter other: the folder's name, if it is none that we would give.
  static func open(
    _ application: RemoteNode, named other: RemoteName? = nil, password: String?, keys: KeyRing? = nil,
    backend: any SyncBackend
  ) async throws(InspectionError) -> ApplicationKeys {
    var files: [KeyFileName] = []
    var wrapped: Set<WrappedKeyName> = []
    var withdrawals: Set<WithdrawalName> = []
    var founded: Set<KeyIdentifier> = []
    for node in application.allButSets {
      switch node.roleOfName {
      case .keyFile: if let name = node.path?.name.flatMap({ KeyFileName($0) }) { files.append(name) }
      case .wrappedKey(let name): wrapped.insert(name)
      case .withdrawal(let name): withdrawals.insert(name)
      case .founding(let name): if let key = name.key { founded.insert(key) }
      default: continue
      }
    }
    // Without key files nothing can be opened, but that does not mean that nothing is sealed.
    guard let name = other ?? RemoteName(application.name) else { return .locked }
    let hierarchy = ApplicationHierarchy(application: name)
    if let keys, founded.isEmpty || founded.contains(where: { keys[$0] != nil }) {
      return try await unlocked(keys, wrapped, KeyExchange(backend: backend, hierarchy: hierarchy))
    }
    // An encrypted record that has strayed into a plain application makes nothing of it encrypted.
    let isFoundedPlain = application.all.contains { node in
      guard case .founding(let name) = node.role, node.path?.parent == hierarchy.founding else {
        return false
      }
      return name.key == nil
    }
    guard let firstFile = files.min() else {
      let isPlain = founded.isEmpty || isFoundedPlain
      // Keys may lie where nothing was listed.
      let isKnown =
        isFoundedPlain || UnlistedFolders(application.allButSets).isListed(hierarchy.encryption)
      return isPlain && isKnown ? .notEncrypted : .locked
    }
    guard let password else { return .locked }
    do {
      let unlocking = KeyUnlocking(backend: backend, hierarchy: hierarchy)
      let found = try await unlocking.unlock(
        files.sorted(), password, first: founded, withdrawals: withdrawals)
      guard let first = found.keys.first else {
        if let refused = found.refusal(founded: founded) { throw InspectionError.keyFileRefused(refused) }
        if found.isCutShort {
          throw InspectionError.keyFilesCrowded(tried: found.tried, of: files.count)
        }
        if let damaged = found.damaged(of: files, founded: founded) { return .unreadable(damaged) }
        throw InspectionError.wrongPassword
      }
      let ring = KeyRing(first, others: Array(found.keys.dropFirst()))
      return .unlocked(
        try await KeyExchange(backend: backend, hierarchy: hierarchy).adding(wrapped, to: ring))
    } catch let error as InspectionError {
      throw error
    } catch let error as BackendError {
      throw .storage(error)
    } catch let error as CryptoError {
      if error.code == .invalidPassword { throw .wrongPassword }
      throw .keyFile(path: "\(hierarchy.encryption.appending(firstFile.name))", error)
    } catch {
      throw .cancelled
    }
  }

  /// Keys that are at hand, with those that they open.
  private static func unlocked(
    _ keys: KeyRing, _ wrapped: Set<WrappedKeyName>, _ exchange: KeyExchange
  ) async throws(InspectionError) -> ApplicationKeys {
    do {
      return .unlocked(try await exchange.adding(wrapped, to: keys))
    } catch let error as BackendError {
      throw .storage(error)
    } catch {
      throw .cancelled
    }
  }
}

extension KeyUnlocking.Result {
  /// A file that is damaged and may be what the password opens, since founding records name its key and no other file of it can be read; `nil`
  /// if there is none. What else bears such a name may be a stranger's, unless nothing else lies there.
  fileprivate func damaged(of files: [KeyFileName], founded: Set<KeyIdentifier>) -> KeyFileName? {
    if isWithdrawn { return nil }
    let readable = Set(files).subtracting(unreadable)
    if readable.isEmpty, unreadable.allSatisfy({ !founded.contains($0.key) }) { return unreadable.min() }
    let keys = Set(readable.map(\.key))
    return unreadable.filter { founded.contains($0.key) && !keys.contains($0.key) }.min()
  }
}
