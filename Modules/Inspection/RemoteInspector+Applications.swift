import Crypto
import SyncProtocol

/// An application on a remote, and what opens its files.
public struct InspectedApplication: Sendable {
  /// Whether its files can be opened.
  public enum Protection: Sendable {
    /// They are not encrypted.
    case none
    /// They are encrypted, and no password was given, or one that does not open them.
    case locked
    /// They are encrypted, and these are the keys that the password opens.
    case unlocked(KeyRing)
  }

  /// Its identifier.
  public let name: RemoteName
  /// Whether its files can be opened.
  public let protection: Protection
  /// Why they cannot be, if they cannot.
  public let obstacle: InspectionError?
}

extension RemoteInspector {
  /// The applications on the remote, by name, with the keys that the password opens.
  ///
  /// - Throws: ``InspectionError``, with `wrongPassword` if it opens none.
  public func inspectedApplications() async throws(InspectionError) -> [InspectedApplication] {
    try await applications(in: await treeOfFew()).compactMap { reader in
      guard let name = RemoteName(reader.node.name) else { return nil }
      let protection: InspectedApplication.Protection =
        switch reader.keys {
        case .notEncrypted: .none
        case .locked, .unreadable: .locked
        case .unlocked(let keys): .unlocked(keys)
        }
      var obstacle: InspectionError?
      do throws(InspectionError) { try requireOpen(reader) } catch { obstacle = error }
      return InspectedApplication(name: name, protection: protection, obstacle: obstacle)
    }
  }

  /// Everything but what is many and not needed to open an application: sets, long values and whole stores.
  func treeOfFew() async throws(InspectionError) -> RemoteNode {
    do {
      return try await RemoteWalk(backend: backend).root { !Self.isOfMany($0) }
    } catch {
      throw error.code == .cancelled ? .cancelled : .storage(error)
    }
  }

  private static func isOfMany(_ node: RemoteNode) -> Bool {
    node.path?.names.count == 4 && ["SyncChanges", "LongValues", "WholeStore"].contains(node.name)
  }

  /// Everything on the remote, and its applications. What is many is listed while the password is tried, for both take long.
  ///
  /// - Parameter hasCopy: whether there may be no application, because another copy may have all that was there.
  func treeWithApplications(
    orNoneIf hasCopy: Bool = false
  ) async throws(InspectionError) -> (RemoteNode, [ApplicationReader]) {
    let few = try await treeOfFew()
    async let whole = completed(few)
    let applications = try await applications(in: few, orNoneIf: hasCopy)
    let tree: RemoteNode
    do {
      tree = try await whole.get()
    } catch {
      throw error.code == .cancelled ? .cancelled : .storage(error)
    }
    let nodes = Dictionary(tree.children.map { ($0.name, $0) }) { first, _ in first }
    return (tree, applications.map { reader in reader.looking(at: nodes[reader.node.name] ?? reader.node) })
  }

  private func completed(_ few: RemoteNode) async -> Result<RemoteNode, BackendError> {
    var tree = few
    do throws(BackendError) {
      try await RemoteWalk(backend: backend).complete(&tree) { Self.isOfMany($0) }
      return .success(tree)
    } catch {
      return .failure(error)
    }
  }
}
