import ChangeTracking
import Crypto
import SyncProtocol

/// What reading the files of a remote adds to their names.
public struct RemoteFacts: Sendable {
  /// Whether a file is encrypted. Files that could not be read are missing.
  public internal(set) var sealed: [RemotePath: Bool] = [:]
  /// The descriptions of clients, by identifier.
  public internal(set) var clients: [String: String] = [:]
  /// The descriptions of the clients behind authors, where a head tells and can be read.
  public internal(set) var authors: [AuthorID: String] = [:]
}

extension RemoteInspector {
  /// Reads the files of a tree, one at a time, for what their names do not tell.
  ///
  /// - Throws: ``InspectionError`` if the password is wrong; files that cannot be read are left out.
  public func facts(about tree: RemoteNode) async throws(InspectionError) -> RemoteFacts {
    var facts = RemoteFacts()
    for node in tree.all {
      if Task.isCancelled { throw .cancelled }
      guard let path = node.path else { continue }
      switch node.role {
      case .set, .head, .wholeStore:
        facts.sealed[path] = (try? await backend.download(path, limit: sizeLimit)).map(
          SealedContainer.isSealed)
      case .deviceInformation(let client):
        let bytes = try? await backend.download(path, limit: InformationFile.sizeLimit)
        facts.clients[client] = bytes.flatMap { try? DeviceInformation($0) }?.description
      default: break
      }
    }
    guard tree.children.contains(where: { $0.role == .application }) else { return facts }
    facts.authors = try await clientDescriptions(in: tree)
    return facts
  }
}
