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
  let application: ApplicationReader

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
  func read(_ file: SetFile) async throws(ReadingFailure) -> ChangeSet {
    let bytes = try await application.bytes(at: file.path, limit: application.sizeLimit)
    let found = ContentHash(of: bytes)
    guard found == file.name.hash else { throw .wrongHash(found: found) }
    let content = try application.open(
      bytes, as: .changeSet, hierarchy.identity(ofSet: file.name.sequence, by: file.author))
    do throws(CodecError) {
      return try ChangeSetFormats.standard.decode(content)
    } catch {
      throw .format(error.description)
    }
  }

  /// Reads, opens and decodes a head.
  func read(_ head: HeadName) async throws(ReadingFailure) -> Head {
    let bytes = try await application.bytes(at: hierarchy.file(of: head), limit: HeadCodec.sizeLimit)
    let content = try application.open(bytes, as: .head, hierarchy.identity(of: head))
    do throws(FormatError) {
      return try HeadCodec.decode(content, named: head)
    } catch {
      throw .format(error.description)
    }
  }
}
