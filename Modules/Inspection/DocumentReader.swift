import ChangeTracking
import Crypto
import SyncProtocol

/// Why the content of a file cannot be used.
public enum ReadingFailure: Error, Sendable {
  /// The storage failed.
  case storage(BackendError)
  /// The bytes do not have the hash in the file's name.
  case wrongHash(found: ContentHash)
  /// The file is sealed and there is no key.
  case locked
  /// The file is sealed, and the founding record of its document is missing, without which nothing in it opens.
  case unfounded
  /// The file is sealed with a key that is not at hand.
  case unknownKey(KeyIdentifier)
  /// The file is not sealed although the remote is encrypted.
  case notSealed
  /// The container does not open.
  case sealed(CryptoError)
  /// The content contradicts its format.
  case format(String)

  /// What is wrong, in a few words without a stop at their end.
  public var description: String {
    words.hasSuffix(".") ? String(words.dropLast()) : words
  }

  /// Whether the storage did not deliver the file, so that nothing says that it is damaged.
  public var isUndelivered: Bool { if case .storage = self { true } else { false } }

  /// Whether what opens the file is not at hand, so that nothing says that it is damaged either.
  public var isForWantOfKey: Bool {
    switch self {
    case .locked, .unfounded, .unknownKey: true
    default: false
    }
  }

  private var words: String {
    switch self {
    case .storage(let error): error.description
    case .wrongHash(let found): "its bytes have the hash \(found)"
    case .locked: "it is encrypted"
    case .unfounded: "the founding record of its document is missing, without which no password opens it"
    case .unknownKey(let key): "it is sealed with the key \(key), which is not at hand"
    case .notSealed: "it is not encrypted"
    case .sealed(let error): error.description
    case .format(let words): words
    }
  }
}

/// Reads the sets and heads of one document.
struct DocumentReader: Sendable {
  /// A set's file.
  struct SetFile: Sendable {
    let name: SetName
    let author: AuthorID
    let path: RemotePath
    let size: Int64?
  }

  let hierarchy: DocumentHierarchy
  let node: RemoteNode
  var application: ApplicationReader
  /// How the document's files are protected, for whichever of its foundings; `nil` if there is no genuine founding record.
  let protection: DocumentProtection?
  /// Everything that lies there but sets, and what is left of deleted documents.
  let entries: [RemoteNode]
  /// The genuine foundings; where there are others, without those that were deleted.
  let foundings: [IntegrityKey]
  /// What is left of deleted documents beside this one.
  let remains: DocumentRemains
  /// The sets of each author, by their names.
  let setsByAuthor: [AuthorID: [SetFile]]
  /// The heads, oldest first.
  let heads: [HeadName]
  /// Up to which set others have said again what an author wrote, by the names of their statements that are genuine as far as the keys at
  /// hand tell.
  let superseded: [AuthorID: UInt64]
  /// The sets that mentions name, of those that are genuine as far as the keys at hand tell.
  let mentions: [AuthorID: Set<SetName>]
  /// The newest head of each author, of those that are genuine as far as the keys at hand tell.
  let newestHeads: [AuthorID: HeadName]

  init(hierarchy: DocumentHierarchy, node: RemoteNode, application: ApplicationReader) {
    self.hierarchy = hierarchy
    self.node = node
    self.application = application
    let everything = node.allButSets
    let names = try? NameAuthenticator(keys: application.keys.ring)
    let founded = everything.compactMap { node in
      if case .founding(let name) = node.roleOfName, let names, hierarchy.isGenuine(name, names) {
        name.integrityKey
      } else {
        nil as IntegrityKey?
      }
    }
    let remains = DocumentRemains(of: hierarchy, founded, everything, application)
    let genuine = founded.filter { !remains.foundings.contains($0) }
    let all = remains.isEmpty ? everything : everything.filter { !remains.contains($0) }
    self.remains = remains
    entries = all
    let found = genuine.first.flatMap { first in
      try? DocumentProtection(
        keys: application.keys.ring, hierarchy: hierarchy, own: first, others: Array(genuine.dropFirst()))
    }
    foundings = genuine
    protection = found
    var sets: [AuthorID: [SetFile]] = [:]
    for folder in all {
      for node in folder.children {
        guard case .set(let name, let author) = node.role, let path = node.path else { continue }
        sets[author, default: []].append(SetFile(name: name, author: author, path: path, size: node.size))
      }
    }
    setsByAuthor = sets.mapValues { $0.sorted { $0.name < $1.name } }
    heads = all.compactMap { if case .head(let name) = $0.role { name } else { nil } }.sorted()
    let isLocked = application.isLocked
    func mayBeGenuine(_ name: some CodedName) -> Bool { isLocked || found?.verifies(name) ?? false }
    let statements = all.compactMap { node in
      if case .supersession(let statement) = node.role { statement } else { nil }
    }.filter { mayBeGenuine($0) }
    superseded = Dictionary(statements.map { ($0.former, $0.through) }) { max($0, $1) }
    var mentions: [AuthorID: Set<SetName>] = [:]
    for case .mention(let mention) in all.map(\.role) where mayBeGenuine(mention) {
      mentions[mention.author, default: []].insert(mention.set)
    }
    self.mentions = mentions
    newestHeads = Dictionary(heads.filter { mayBeGenuine($0) }.map { ($0.author, $0) }) { $1 }
  }

  /// The sets by author and name.
  var sets: [SetFile] { setsByAuthor.sorted { $0.key < $1.key }.flatMap(\.value) }

  /// Whether a member of the document has written a name among the heads; `nil` if that cannot be told without a key, or without a
  /// founding record.
  func isGenuine(_ name: some CodedName) -> Bool? {
    application.isLocked ? nil : protection?.verifies(name)
  }

  /// The content of a file that may be sealed.
  func open(_ bytes: [UInt8], as file: DocumentFile) throws(ReadingFailure) -> [UInt8] {
    let isSealed = SealedContainer.isSealed(bytes)
    switch application.keys {
    case .notEncrypted where !isSealed && DocumentMark.isBorne(by: file.role):
      do throws(CryptoError) { return try openPlainSet(bytes) } catch { throw .sealed(error) }
    case .notEncrypted where !isSealed: return bytes
    case .notEncrypted: throw application.failure(ofSealed: bytes)
    case .locked, .unreadable: throw isSealed ? .locked : .notSealed
    case .unlocked:
      guard isSealed else { throw .notSealed }
      // Without a founding record nothing can be told: that it is missing is a finding of its own.
      guard let protection else { throw .unfounded }
      do {
        return try protection.open(bytes, as: file)
      } catch let error as CryptoError {
        throw error.code == .unknownKey ? application.failure(ofSealed: bytes) : .sealed(error)
      } catch {
        throw .format("\(error)")
      }
    }
  }

  /// The content of a set without encryption.
  ///
  /// - Throws: `CryptoError` with `authenticationFailed` if it is of another document; without a founding record nothing tells.
  func openPlainSet(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard !foundings.isEmpty else { return DocumentMark.removed(from: bytes) }
    var failure: CryptoError?
    for founding in foundings {
      do throws(CryptoError) {
        return try DocumentMark(hierarchy, of: founding).removed(from: bytes)
      } catch { failure = error }
    }
    throw failure ?? CryptoError(.authenticationFailed, "it is of no founding")
  }

  /// What describes the document.
  func information() async throws(ReadingFailure) -> DocumentInformation {
    let content = try open(
      try await application.bytes(at: hierarchy.information, limit: ApplicationReader.informationLimit),
      as: .information)
    do {
      return try DocumentInformation(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// Whether a founding record says that the document is in a format that is read here.
  func isFoundedInReadableFormat() async -> Bool {
    for case (let path?, .founding(let name)) in entries.map({ ($0.path, $0.role) })
    where foundings.contains(name.integrityKey) {
      guard let bytes = try? await application.bytes(at: path, limit: FoundingRecord.sizeLimit),
        let record = try? FoundingRecord(bytes, keys: application.keys.ring)
      else { continue }
      if record.integrityKey == name.integrityKey, record.isReadable { return true }
    }
    return false
  }

  /// Reads, verifies, opens and decodes a set.
  ///
  /// - Parameter bytes: those of the file, if they are at hand.
  func read(_ file: SetFile, _ bytes: [UInt8]? = nil) async throws(ReadingFailure) -> ChangeSet {
    let limit = min(application.sizeLimit, SetLimits.fileSize)
    let bytes =
      if let bytes { bytes } else { try await application.bytes(at: file.path, limit: limit) }
    let found = ContentHash(of: bytes)
    guard found == file.name.hash else { throw .wrongHash(found: found) }
    if SealedContainer.isSealed(bytes) { application.sealedFiles.note(file.path) }
    let content = try open(bytes, as: .set(file.name.sequence, by: file.author))
    do throws(CodecError) {
      let set = try ChangeSetFormats.standard.decode(content)
      application.sealedFiles.notePlainContent()
      return set
    } catch {
      throw .format(error.description)
    }
  }

  /// Reads, opens and decodes a head.
  func read(_ head: HeadName) async throws(ReadingFailure) -> Head {
    let bytes = try await application.bytes(at: hierarchy.file(of: head), limit: HeadCodec.sizeLimit)
    let content = try open(bytes, as: .head(head))
    do throws(FormatError) {
      let head = try HeadCodec.decode(content, named: head)
      application.sealedFiles.notePlainContent()
      return head
    } catch {
      throw .format(error.description)
    }
  }

  /// Reads, opens and decodes a floor of the history.
  func read(_ floor: HistoryFloor) async throws(ReadingFailure) -> VersionVector {
    let bytes = try await application.bytes(at: hierarchy.file(of: floor), limit: HistoryFloor.sizeLimit)
    let content = try open(bytes, as: .floor(floor))
    do throws(FormatError) {
      return try floor.content(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// Reads, opens and decodes the note that a device was removed.
  func read(_ removal: RemovalName) async throws(ReadingFailure) -> RemovalInformation {
    let bytes = try await application.bytes(
      at: hierarchy.file(of: removal), limit: InformationFile.sizeLimit * 2)
    let content = try open(bytes, as: .removal(removal))
    do throws(FormatError) {
      return try RemovalInformation(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// A note that a device was removed, by somebody unknown, as a member would write it; `nil` if that takes a key that is not at hand, or if
  /// nobody has written the name.
  func note(of removal: RemovalName, at time: Duration) -> [UInt8]? {
    guard !application.isLocked, isGenuine(removal) == true, let protection else { return nil }
    let information = RemovalInformation(
      client: "", name: "", remover: "", time: UInt64(clamping: time.components.seconds) * 1_000)
    return try? protection.seal(information.bytes, as: .removal(removal))
  }

  /// Reads, opens and decodes what a device is called.
  func read(_ name: RenamingName) async throws(ReadingFailure) -> DeviceInformation {
    let bytes = try await application.bytes(
      at: hierarchy.file(of: name), limit: InformationFile.sizeLimit * 2)
    let content = try open(bytes, as: .deviceName(name))
    do throws(FormatError) {
      return try DeviceInformation(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// Whether it was founded with a key that nothing leads to any more, so that nobody can tell who wrote what.
  var isOfLostKey: Bool {
    foundings.isEmpty
      && entries.contains { node in
        if case .founding(let name) = node.roleOfName {
          name.key.map(application.isLost) ?? false
        } else {
          false
        }
      }
  }

  /// The authors that members have removed.
  var removed: Set<AuthorID> {
    Set(
      entries.compactMap { node in
        guard case .removal(let name) = node.role, isGenuine(name) == true else { return nil }
        return name.author
      })
  }

  /// What devices that were renamed say that they are called, as far as the names of these files tell.
  var deviceNames: [RenamingName] {
    entries.compactMap { node in
      guard case .deviceName(let name) = node.role, isGenuine(name) == true else { return nil }
      return name
    }
  }

  /// The floors of the history that members have written, as far as their names tell.
  var floors: [HistoryFloor] {
    entries.compactMap { node in
      guard case .floor(let floor) = node.role, isGenuine(floor) == true else { return nil }
      return floor
    }
  }

  /// Whether no founding record is there that could tell which heads, floors and whole stores members have written.
  var isWithoutRecord: Bool { !application.isLocked && protection == nil }

  /// Whether files are there that say that sets need not be, whoever has written them.
  var mayHaveFloors: Bool {
    entries.contains { node in
      switch node.role {
      case .floor, .supersession: true
      default: false
      }
    }
  }

  /// Of each author, the last set below the floors that are in force, as far as they can be read: sets that need not be there.
  func floor() async -> VersionVector {
    var floor = VersionVector()
    for node in entries {
      guard case .floor(let name) = node.role, name.phase == .inForce, isGenuine(name) == true,
        let content = try? await read(name)
      else { continue }
      floor = floor.union(content)
    }
    return floor
  }

  /// Reads, opens and decodes a statement that sets are said again.
  func check(_ statement: Supersession) async throws(ReadingFailure) {
    let bytes = try await application.bytes(at: hierarchy.file(of: statement), limit: Supersession.sizeLimit)
    let content = try open(bytes, as: .supersession(statement))
    do throws(FormatError) {
      _ = try Supersession.Content(content)
    } catch {
      throw .format(error.description)
    }
  }
}
