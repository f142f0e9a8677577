import SyncProtocol

/// One file or folder of a remote, with what lies below it.
public struct RemoteNode: Sendable {
  /// Its name, as the storage spells it; one that is foreign may hold anything.
  public let name: String
  /// Its place, when all its names keep to the grammar; `nil` for a foreign one.
  public let path: RemotePath?
  /// What it is for.
  public let role: FileRole
  /// Size of a file in bytes, where the storage says so.
  public let size: Int64?
  /// Whether it is a folder.
  public let isFolder: Bool
  /// What lies in it, by name. Foreign folders are not entered.
  public var children: [RemoteNode] = []
  /// Why a folder could not be listed.
  public var failure: BackendError?

  /// The node and everything below it, parents first.
  public var all: [RemoteNode] { [self] + children.flatMap(\.all) }
}

/// Lists a remote from the root down.
struct RemoteWalk {
  let backend: any SyncBackend
  /// The hierarchy is six levels deep; nothing below can be ours.
  static let depth = 6

  /// The root with everything below it.
  ///
  /// - Throws: ``BackendError`` if the root itself cannot be listed. Of other folders it is noted.
  func root() async throws(BackendError) -> RemoteNode {
    var root = RemoteNode(name: "", path: .root, role: .folder, size: nil, isFolder: true)
    root.children = try await children(of: .root)
    return root
  }

  private func children(of folder: RemotePath) async throws(BackendError) -> [RemoteNode] {
    let listing = try await backend.list(folder)
    var nodes = listing.foreign.map {
      RemoteNode(name: $0, path: nil, role: .foreign, size: nil, isFolder: false)
    }
    for entry in listing.entries {
      let path = folder.appending(entry.name)
      var node = RemoteNode(
        name: entry.name.description, path: path, role: FileRole(path: path.names, kind: entry.kind),
        size: entry.size, isFolder: entry.kind == .folder)
      if node.isFolder, ![.foreign, .serverTest].contains(node.role), path.names.count < Self.depth {
        do {
          node.children = try await children(of: path)
        } catch  where error.code != .cancelled {
          node.failure = error
        }
      }
      nodes.append(node)
    }
    return nodes.sorted { $0.name < $1.name }
  }
}
