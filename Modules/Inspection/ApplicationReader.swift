import Crypto
import SyncProtocol

/// Reads the files of one application on a remote.
struct ApplicationReader: Sendable {
  let hierarchy: ApplicationHierarchy
  let node: RemoteNode
  let keys: ApplicationKeys
  let backend: any SyncBackend
  let sizeLimit: Int
  /// Whether the password opens no key file of this application although it opens those of another.
  let isOfAnotherPassword: Bool
  /// What goes wrong on this device meanwhile.
  let device: DeviceFailures
  /// Sealed files that were read.
  let sealedFiles: SealedFiles
  /// Copies that are read instead of the files at some places.
  var copies: [RemotePath: RemotePath] = [:]
  /// Everything that lies there but sets.
  let entries: [RemoteNode]
  /// The notes that documents were deleted, genuine or not, whichever they are of.
  let deletions: [DeletionName]
  /// Folders in which may lie what is missing.
  let unlisted: UnlistedFolders
  /// The keys that have a key file. Whoever can write here makes thousands of files that ask for them.
  private let filedKeys: Set<KeyIdentifier>
  /// The keys of which something was withdrawn, as the names of notes say.
  private let withdrawnKeys: Set<KeyIdentifier>

  init(
    hierarchy: ApplicationHierarchy, node: RemoteNode, keys: ApplicationKeys, backend: any SyncBackend,
    sizeLimit: Int, isOfAnotherPassword: Bool = false, device: DeviceFailures = DeviceFailures(),
    sealedFiles: SealedFiles = SealedFiles()
  ) {
    self.hierarchy = hierarchy
    self.node = node
    self.keys = keys
    self.backend = backend
    self.sizeLimit = sizeLimit
    self.isOfAnotherPassword = isOfAnotherPassword
    self.device = device
    self.sealedFiles = sealedFiles
    entries = node.allButSets
    deletions = entries.compactMap { node in
      node.role == .deletion ? node.path?.name.flatMap { DeletionName($0) } : nil
    }
    unlisted = UnlistedFolders(entries)
    filedKeys = Set(
      entries.compactMap { node in
        node.role == .keyFile ? node.path?.name.flatMap { KeyFileName($0) }?.key : nil
      })
    withdrawnKeys = Set(
      entries.compactMap { node in
        if case .withdrawal(let name) = node.roleOfName { name.key } else { nil as KeyIdentifier? }
      })
  }

  /// The same with more of what lies there.
  func looking(at node: RemoteNode) -> ApplicationReader {
    ApplicationReader(
      hierarchy: hierarchy, node: node, keys: keys, backend: backend, sizeLimit: sizeLimit,
      isOfAnotherPassword: isOfAnotherPassword, device: device, sealedFiles: sealedFiles)
  }

  /// The documents of the application. Each call looks through everything that lies there.
  var documents: [DocumentReader] {
    entries.compactMap { node in
      guard case .document(let identifier) = node.role, let name = RemoteName(identifier) else { return nil }
      return DocumentReader(hierarchy: hierarchy.document(name), node: node, application: self)
    }
  }

  /// Whether there are files that cannot be opened, because no password was given or no key file can be used.
  var isLocked: Bool {
    switch keys {
    case .locked, .unreadable: true
    case .notEncrypted, .unlocked: false
    }
  }

  /// The bytes of a file as they lie there.
  func bytes(at path: RemotePath, limit: Int) async throws(ReadingFailure) -> [UInt8] {
    do {
      let bytes = try await backend.download(copies[path] ?? path, limit: limit)
      if SealedContainer.isSealed(bytes) { sealedFiles.note(path) }
      return bytes
    } catch {
      device.note(error)
      throw .storage(error)
    }
  }

  /// What is copied to this device of a file to look at its beginning, at most.
  private static let beginningLimit: Int64 = 16 << 20

  /// Whether a file that may be large is sealed; `nil` if it cannot be read, or is so large that copying it only to look at its beginning
  /// is not worth it. What the storage says of its size is not believed.
  func isSealed(_ path: RemotePath) async -> Bool? {
    do {
      let scratch = try ScratchFolder.temporary()
      let file = scratch.file("download")
      try await backend.download(
        path, toFile: file, limit: Self.beginningLimit, expecting: nil, progress: nil)
      return SealedContainer.isSealed(try LocalFile.beginning(of: file, count: 8))
    } catch {
      device.note(error)
      return nil
    }
  }

  /// The content of a file that may be sealed.
  func open(_ bytes: [UInt8], as role: SealedContext.Role, _ identity: String) throws(ReadingFailure)
    -> [UInt8]
  {
    switch keys {
    case .notEncrypted:
      if SealedContainer.isSealed(bytes) { throw failure(ofSealed: bytes) }
      return bytes
    case .locked, .unreadable:
      guard SealedContainer.isSealed(bytes) else { throw .notSealed }
      throw .locked
    case .unlocked(let ring):
      guard SealedContainer.isSealed(bytes) else { throw .notSealed }
      do {
        return try SealedContainer.open(
          bytes, as: SealedContext(role: role, identity: identity), with: ring)
      } catch {
        throw error.code == .unknownKey ? failure(ofSealed: bytes) : .sealed(error)
      }
    }
  }

  /// Why a sealed file is not opened whose key is not at hand: that has, or had, a key file here which the password does not open, or
  /// nothing leads to it.
  func failure(ofSealed bytes: [UInt8]) -> ReadingFailure {
    do throws(CryptoError) {
      let key = try SealedContainer.keyIdentifier(of: bytes)
      guard !isOfOthers(key) else { return .locked }
      // Keys are drawn at random: one that nearly bears the name of another is that one, in a header that is damaged.
      let isNearlyKnown = (keys.ring?.all ?? []).contains { known in
        zip(known.identifier.bytes, key.bytes).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } <= 8
      }
      return isNearlyKnown ? .sealed(CryptoError(.damaged, "its header was changed")) : .unknownKey(key)
    } catch {
      return .sealed(error)
    }
  }

  /// Whether a key has a key file here, or had one, and is not at hand.
  func isOfOthers(_ key: KeyIdentifier) -> Bool {
    keys.ring?[key] == nil && (filedKeys.contains(key) || withdrawnKeys.contains(key))
  }

  /// Whether nothing here leads to a key any more, though passwords opened it once: it was replaced, and what wraps it is gone.
  func isLost(_ key: KeyIdentifier) -> Bool {
    guard let ring = keys.ring else { return false }
    return ring[key] == nil && withdrawnKeys.contains(key) && !filedKeys.contains(key)
  }

  /// What a client tells about itself.
  func deviceInformation(_ path: RemotePath, of client: String) async throws(ReadingFailure)
    -> DeviceInformation
  {
    let content = try open(
      try await bytes(at: path, limit: Self.informationLimit), as: .deviceInformation,
      hierarchy.identity(ofClient: client))
    do {
      return try DeviceInformation(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// Sealing adds less than the size of a file.
  static let informationLimit = 2 * InformationFile.sizeLimit
}
