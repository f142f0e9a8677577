import ChangeTracking
import Crypto
import SyncProtocol

/// Opens one file of a remote with what its place tells of it.
struct FileOpening {
  let path: RemotePath
  let node: RemoteNode
  let application: ApplicationReader?
  let document: DocumentReader?
  let inspector: RemoteInspector

  func content() async throws(InspectionError) -> FileContent {
    do {
      if case .wholeStore(let name) = node.role, let document, document.isGenuine(name) == true,
        let protection = document.protection
      {
        return try await wholeStore(name, document, protection)
      }
      if let size = node.size, size > sizeLimit { return tooLargeContent(size) }
      let scratch = try ScratchFolder.temporary()
      let file = scratch.file("download")
      try await inspector.backend.download(
        path, toFile: file, limit: Int64(sizeLimit), expecting: node.size, progress: nil)
      var content = try await recognise(file)
      if content.isLocked || content.problem == nil, let application,
        let fault = await FileFault(node: node, path: path, application: application, document: document)
          .words()
      {
        (content.problem, content.isLocked) = (fault, false)
      }
      return content
    } catch let error as InspectionError {
      throw error
    } catch let error as BackendError {
      if error.code == .tooLarge { return tooLargeContent(node.size ?? Int64(sizeLimit) + 1) }
      throw error.code == .cancelled ? .cancelled : .storage(error)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      if let failure = InspectionError(ofThisDevice: error) { throw failure }
      var content = FileContent(kind: .unknown, size: node.size ?? 0)
      content.problem = "\(error)"
      return content
    }
  }

  /// Bytes that are read into memory at most.
  var sizeLimit: Int {
    if case .set = node.role { SetLimits.fileSize } else { FileContent.sizeLimit }
  }

  private func tooLargeContent(_ size: Int64) -> FileContent {
    var content = FileContent(kind: .unknown, size: size)
    content.problem = "it was not opened, for it is larger than \(sizeLimit >> 20) MiB"
    return content
  }

  private func recognise(_ file: String) async throws -> FileContent {
    let recognition = ContentRecognition(name: path.name, keys: application?.keys.ring)
    var content = try FileContent.read(file, as: recognition, limit: sizeLimit)
    let bytes = try LocalFile.beginning(of: file, count: Int(content.size))
    let damage = damage(bytes, content.kind)
    if let damage { (content.problem, content.isLocked) = (damage, false) }
    // No key file is sealed.
    guard content.kind == .sealed, node.role != .keyFile else { return judged(content) }
    if case .notEncrypted? = application?.keys { return content }
    if case .wrappedKey(let name) = node.role, application?.keys.ring?[name.wrapping] != nil {
      // What is in it is a key, which is not shown.
      (content.problem, content.isLocked) = (nil, false)
      return content
    }
    do {
      guard let plain = try await open(bytes) else {
        guard node.role == .deletion else { return content }
        (content.problem, content.isLocked) = (nil, false)
        content.facts.append(.init("sealedFor", .text("the document that was deleted, which is not there")))
        return content
      }
      var opened = recognition.content(of: plain, size: content.size)
      opened.isEncrypted = true
      opened.problem = opened.problem ?? damage
      return judged(opened)
    } catch {
      content.problem = damage ?? error.description
      content.isLocked = damage == nil && error.isForWantOfKey
      return content
    }
  }

  /// What is wrong with a file that shows without a key.
  private func damage(_ bytes: [UInt8], _ kind: FileContent.Kind) -> String? {
    if case .set(let name, _) = node.role, ContentHash(of: bytes) != name.hash {
      return "its bytes have the hash \(ContentHash(of: bytes)), which is not that of its name"
    }
    if kind == .sealed, case .notEncrypted? = application?.keys {
      return "it is encrypted, and nothing else here is"
    }
    return nil
  }

  /// The same content with what is wrong, if it is not what its place and name say.
  private func judged(_ content: FileContent) -> FileContent {
    var content = content
    if let kind = node.role.contentKind, kind != content.kind {
      content.isLocked = false
      content.problem = "it is not what belongs in its place, \(node.role.words)"
    } else if case .longValue(let name) = node.role, let hash = content.valueHash,
      (try? LongValueName.candidates(hash, keys: application?.keys.ring).contains(name)) != true
    {
      content.problem = content.problem ?? "it holds another value than its name says"
    }
    return content
  }

  /// The bytes that a file holds, opened if it is sealed.
  func plain(of bytes: [UInt8]) async throws(ReadingFailure) -> [UInt8] {
    if case .set(let name, _) = node.role {
      let found = ContentHash(of: bytes)
      guard found == name.hash else { throw .wrongHash(found: found) }
    }
    guard SealedContainer.isSealed(bytes) else { return bytes }
    guard let plain = try await open(bytes) else { throw .locked }
    return plain
  }

  /// The content of a sealed file; `nil` if its place does not say what it is.
  private func open(_ bytes: [UInt8]) async throws(ReadingFailure) -> [UInt8]? {
    guard let application else { return nil }
    if case .deviceInformation(let client) = node.role {
      return try application.open(
        bytes, as: .deviceInformation, application.hierarchy.identity(ofClient: client))
    }
    if let name = path.name.flatMap({ DeletionName($0) }), node.role == .deletion {
      return try open(name, bytes, application)
    }
    guard let document else { return nil }
    switch node.role {
    case .documentInformation: return try document.open(bytes, as: .information)
    case .set(let name, let author): return try document.open(bytes, as: .set(name.sequence, by: author))
    case .head(let head): return try document.open(bytes, as: .head(head))
    case .supersession(let statement): return try document.open(bytes, as: .supersession(statement))
    case .floor(let floor): return try document.open(bytes, as: .floor(floor))
    case .removal(let removal): return try document.open(bytes, as: .removal(removal))
    case .deviceName(let name): return try document.open(bytes, as: .deviceName(name))
    case .longValue(let name): return try await openValue(name, bytes, document)
    default: return nil
    }
  }

  /// The note of a deletion is sealed under the identifier of the document, and that stands in the note alone.
  private func open(
    _ name: DeletionName, _ bytes: [UInt8], _ application: ApplicationReader
  ) throws(ReadingFailure) -> [UInt8]? {
    guard let ring = application.keys.ring, let names = try? NameAuthenticator(keys: ring) else {
      throw .locked
    }
    let hierarchies = application.documents.map(\.hierarchy)
    // It is sealed under the identifier of the document that was deleted, which is mostly gone.
    guard let hierarchy = hierarchies.first(where: { $0.isGenuine(name, names) }) else { return nil }
    return try application.open(bytes, as: .deletion, hierarchy.identity(ofDeleted: name.founding))
  }

  /// A long value is sealed under its hash, and called by a pseudonym of it: only a set that mentions it tells the hash.
  private func openValue(
    _ name: LongValueName, _ bytes: [UInt8], _ document: DocumentReader
  ) async throws(ReadingFailure) -> [UInt8]? {
    guard let ring = document.application.keys.ring else { throw .locked }
    for file in document.sets {
      if Task.isCancelled { break }
      guard let set = try? await document.read(file) else { continue }
      for value in set.missingLongValues
      where (try? LongValueName.candidates(value.hash, keys: ring).contains(name)) == true {
        return try document.open(bytes, as: .longValue(value.hash))
      }
    }
    throw .format("no set that can be read mentions it, and only that would tell how it is opened")
  }

  private func wholeStore(
    _ name: WholeStoreName, _ document: DocumentReader, _ protection: DocumentProtection
  ) async throws -> FileContent {
    let scratch = try ScratchFolder.temporary()
    let transfer = WholeStoreTransfer(
      backend: inspector.backend, hierarchy: document.hierarchy, protection: protection)
    let store = scratch.file("store.sqlite")
    let snapshot = try await transfer.fetch(
      .init(name: name, size: node.size), through: scratch, to: store, progress: nil)
    var content = try FileContent.read(store, as: ContentRecognition())
    content.kind = .wholeStore
    content.size = node.size ?? content.size
    content.isEncrypted = protection.keys != nil
    content.facts =
      [
        .init("author", .text("\(name.author)")), .init("vector", .init(snapshot.contents)),
        .init("unpushedChanges", .flag(snapshot.includesUnpushedChanges)),
      ] + content.facts
    return content
  }
}

extension FileRole {
  /// What a file in this role is once it is opened; `nil` if that may be one of several, or if it is empty.
  fileprivate var contentKind: FileContent.Kind? {
    switch self {
    case .head: .head
    case .founding: .founding
    case .supersession: .supersession
    case .floor: .floor
    case .longValue: .longValue
    case .set: .changeSet
    case .keyFile: .keyFile
    case .deviceInformation, .documentInformation: .propertyList
    default: nil
    }
  }
}
