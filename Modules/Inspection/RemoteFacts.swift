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
    guard tree.children.contains(where: { $0.role == .application }) else { return facts }
    let applications = try await applications(in: tree)
    for reader in applications {
      for node in reader.node.all {
        if Task.isCancelled { throw .cancelled }
        await facts.add(node, reader)
      }
    }
    facts.authors = await clientDescriptions(applications)
    return facts
  }
}

extension RemoteFacts {
  mutating func add(_ node: RemoteNode, _ reader: ApplicationReader) async {
    guard let path = node.path else { return }
    switch node.role {
    case .set, .head, .supersession, .deviceInformation, .documentInformation:
      let bytes = try? await reader.bytes(at: path, limit: min(reader.sizeLimit, SetLimits.fileSize))
      sealed[path] = bytes.map(SealedContainer.isSealed)
    case .wholeStore, .longValue:
      // The beginning tells, and the rest may be large.
      sealed[path] = await reader.isSealed(path)
    default: break
    }
    if case .deviceInformation(let client) = node.role {
      clients[client] = (try? await reader.deviceInformation(path, of: client))?.description
    }
  }
}
