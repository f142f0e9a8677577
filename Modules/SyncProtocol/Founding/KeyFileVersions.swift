import Crypto

/// The key files of one key, as they lie there: several if devices have changed passwords without seeing each other.
///
/// What opens the key is the union of all slots but for those that were withdrawn. So changes that cross each other need no order: what one adds
/// stays, what one withdraws stays withdrawn, whoever sees which first.
struct KeyFileVersions: Sendable {
  /// Files of a key that count at most.
  private static let fileLimit = 64
  /// Files that are read at most to find these, for anybody can name a file after a key.
  private static let readLimit = 4_096

  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  let key: MasterKey
  /// The files that somebody with the key has written.
  private(set) var files: [KeyFileName: KeyFile] = [:]
  /// Files after whose names the key is called and that the storage does not hand out: nothing tells what they hold, or who wrote them.
  private(set) var refused: [BackendError] = []
  /// The slots that open nothing any more.
  private(set) var withdrawn: Set<KeyFile.Slot.Identifier> = []

  init(
    backend: any SyncBackend, hierarchy: ApplicationHierarchy, key: MasterKey, folder: KeyFolder
  ) async throws {
    self.backend = backend
    self.hierarchy = hierarchy
    self.key = key
    withdrawn = Set(
      folder.withdrawals(try NameAuthenticator(keys: KeyRing(key)), hierarchy).map(\.slot))
    for name in folder.keyFiles.filter({ $0.key == key.identifier }).prefix(Self.readLimit)
    where files.count < Self.fileLimit {
      do throws(BackendError) {
        let bytes = try await backend.download(hierarchy.encryption / name.name, limit: KeyFile.maximumSize)
        guard let file = try? KeyFile(parsing: bytes), (try? file.authenticate(with: key)) != nil else {
          continue
        }
        files[name] = file
      } catch {
        guard error.isAboutOneFile else { throw error }
        if error.code == .forbidden { refused.append(error) }
      }
    }
  }

  /// Whether the key was replaced, so that nothing opens it.
  private var isReplaced: Bool { WithdrawalName.everySlot.map(withdrawn.contains) ?? false }

  /// All slots that open the key, in the order of their files.
  var slots: [KeyFile.Slot] {
    guard !isReplaced else { return [] }
    var slots: [KeyFile.Slot] = []
    for (_, file) in files.sorted(by: { $0.key < $1.key }) {
      for slot in file.slots
      where !withdrawn.contains(slot.identifier)
        && !slots.contains(where: { $0.identifier == slot.identifier })
      {
        slots.append(slot)
      }
    }
    return slots
  }

  /// All slots that a password or recovery code opens, but for what was withdrawn: several if devices have added it without seeing each
  /// other. Each is tried, which takes as long as opening each.
  func slots(opening secret: String) throws(CryptoError) -> Set<KeyFile.Slot.Identifier> {
    guard !isReplaced else { return [] }
    var (tried, opened) = (withdrawn, Set<KeyFile.Slot.Identifier>())
    for file in files.values {
      for slot in file.slots where tried.insert(slot.identifier).inserted {
        let others = Set(file.slots.map(\.identifier)).subtracting([slot.identifier])
        do throws(CryptoError) {
          opened.insert(try file.open(secret, except: others.union(withdrawn)).slot)
        } catch {
          guard error.code == .wrongPassword else { throw error }
        }
      }
    }
    return opened
  }

  /// Whether a password or recovery code opens a slot that was not withdrawn.
  func opens(_ secret: String) throws(CryptoError) -> Bool {
    guard !isReplaced else { return false }
    for file in files.values {
      do throws(CryptoError) {
        _ = try file.open(secret, except: withdrawn)
        return true
      } catch {
        guard error.code == .wrongPassword else { throw error }
      }
    }
    return false
  }

  /// The same, as if slots were withdrawn.
  func without(_ slots: Set<KeyFile.Slot.Identifier>) -> KeyFileVersions {
    var versions = self
    versions.withdrawn.formUnion(slots)
    return versions
  }

  /// The slots alone, of one file; `nil` if there are none.
  func combined() throws(CryptoError) -> KeyFile? {
    guard !isReplaced else { return nil }
    let versions = files.sorted { $0.key < $1.key }.map(\.value)
    return try KeyFile.combining(versions, without: withdrawn, with: key)
  }

  /// Puts one file in the place of all, and withdraws slots. In this order: whatever breaks off, no one who stays is locked out, and trying
  /// again completes it.
  ///
  /// - Parameters:
  ///   - file: what holds from now on; `nil` if nothing opens the key any more, because another has replaced it. Then
  ///     ``WithdrawalName/everySlot`` is among the slots.
  ///   - slots: what opens nothing from now on.
  /// - Returns: what holds now.
  func replace(
    with file: KeyFile?, withdrawing slots: [KeyFile.Slot.Identifier],
    _ configuration: ApplicationConfiguration
  ) async throws -> WrittenKeyFiles {
    var written = WrittenKeyFiles()
    if let file {
      let path: RemotePath
      if let known = files.first(where: { $0.value == file })?.key {
        path = hierarchy.encryption / known.name
      } else {
        var random = configuration.random()
        path = hierarchy.encryption / KeyFileName(key.identifier, using: &random).name
        try await backend.makeFolder(hierarchy.encryption)
        try await backend.createIfAbsent(file.bytes, at: path)
      }
      written.note(file.bytes, at: path, of: key.identifier)
    }
    for slot in slots {
      let withdrawal = try hierarchy.withdrawal(of: slot, key)
      if !withdrawn.contains(slot) {
        _ = try await backend.createUnlessPresent([], at: hierarchy.file(of: withdrawal))
      }
      written.note(withdrawal)
    }
    for (name, former) in files.sorted(by: { $0.key < $1.key }) where former != file {
      do throws(BackendError) {
        try await backend.remove(hierarchy.encryption / name.name)
      } catch {
        // What it holds beyond the new file was withdrawn, so it does no harm.
        guard error.isAboutOneFile else { throw error }
      }
    }
    return written
  }
}
