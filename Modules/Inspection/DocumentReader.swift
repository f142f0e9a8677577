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
  /// The file is not sealed although the remote is encrypted.
  case notSealed
  /// The container does not open.
  case sealed(CryptoError)
  /// The content contradicts its format.
  case format(String)

  /// What is wrong, in a few words.
  public var description: String {
    switch self {
    case .storage(let error): error.description
    case .wrongHash(let found): "its bytes have the hash \(found)"
    case .locked: "it is encrypted"
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
  }

  let hierarchy: DocumentHierarchy
  let node: RemoteNode
  let keys: ApplicationKeys
  let backend: any SyncBackend
  let sizeLimit: Int

  /// The sets by author and name.
  var sets: [SetFile] {
    node.all.compactMap { node in
      guard case .set(let name, let author) = node.role, let path = node.path else { return nil }
      return SetFile(name: name, author: author, path: path)
    }.sorted { ($0.author, $0.name) < ($1.author, $1.name) }
  }

  /// The heads, oldest first.
  var heads: [HeadName] {
    node.all.compactMap { if case .head(let name) = $0.role { name } else { nil } }.sorted()
  }

  /// The newest head of each author.
  var newestHeads: [AuthorID: HeadName] {
    Dictionary(heads.map { ($0.author, $0) }) { $1 }
  }

  /// Reads, verifies, opens and decodes a set.
  func read(_ file: SetFile) async -> Result<ChangeSet, ReadingFailure> {
    await reading { () throws(ReadingFailure) in
      let bytes = try await self.bytes(at: file.path, limit: sizeLimit)
      let found = ContentHash(of: bytes)
      guard found == file.name.hash else { throw .wrongHash(found: found) }
      let context = hierarchy.sealedContext(of: file.name, by: file.author)
      let content = try open(bytes, as: context)
      do throws(CodecError) {
        return try CompactCodec.decode(content)
      } catch {
        throw .format(error.description)
      }
    }
  }

  /// Reads, opens and decodes a head.
  func read(_ head: HeadName) async -> Result<Head, ReadingFailure> {
    await reading { () throws(ReadingFailure) in
      let bytes = try await self.bytes(at: hierarchy.file(of: head), limit: HeadCodec.sizeLimit)
      let content = try open(bytes, as: hierarchy.sealedContext(of: head))
      do throws(FormatError) {
        return try HeadCodec.decode(content, named: head)
      } catch {
        throw .format(error.description)
      }
    }
  }

  private func reading<Content>(
    _ body: () async throws(ReadingFailure) -> Content
  ) async -> Result<Content, ReadingFailure> {
    do throws(ReadingFailure) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  private func bytes(at path: RemotePath, limit: Int) async throws(ReadingFailure) -> [UInt8] {
    do {
      return try await backend.download(path, limit: limit)
    } catch {
      throw .storage(error)
    }
  }

  private func open(_ bytes: [UInt8], as context: SealedContext) throws(ReadingFailure) -> [UInt8] {
    switch keys {
    case .notEncrypted: return bytes
    case .locked: throw .locked
    case .unlocked(let ring):
      guard SealedContainer.isSealed(bytes) else { throw .notSealed }
      do {
        return try SealedContainer.open(bytes, as: context, with: ring)
      } catch {
        throw .sealed(error)
      }
    }
  }
}
