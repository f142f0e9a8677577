import SyncProtocol

/// The files of keys that an application had when a plan was made: what a key seals that came later seems to be forged.
struct PlannedKeys: Sendable {
  /// Where they lie.
  let folder: RemotePath
  private let names: Set<RemoteName>

  init(of application: ApplicationReader) {
    folder = application.hierarchy.encryption
    names = Set(
      application.entries.compactMap { node in
        guard let path = node.path, path.parent == application.hierarchy.encryption else { return nil }
        return Self.isKey(path) ? path.name : nil
      })
  }

  /// A file of a key that is in a listing of the folder and was not there; `nil` if there is none.
  func newcomer(in listing: RemoteListing) -> RemotePath? {
    listing.entries.lazy.filter { $0.kind == .file && !names.contains($0.name) }
      .map { folder.appending($0.name) }.filter(Self.isKey).min()
  }

  private static func isKey(_ path: RemotePath) -> Bool {
    switch FileRole(path: path.names, kind: .file) {
    case .keyFile, .wrappedKey: true
    default: false
    }
  }
}

extension RemoteRepair {
  /// Refuses to take anything away after keys have come by which the plan was not made.
  func requirePlannedKeys(_ plan: RepairPlan) async throws(RepairError) {
    for keys in plan.keys {
      guard let root = keys.folder.parent,
        plan.actions.contains(where: { $0.change == .putAside && $0.path.names.starts(with: root.names) })
      else { continue }
      let listing: RemoteListing
      do throws(BackendError) {
        listing = try await backend.list(keys.folder)
      } catch {
        // Through a link, or what else lies in the folder's place, no key comes.
        if error.isAboutOneFile { continue }
        throw .storage(error)
      }
      guard let new = keys.newcomer(in: listing) else { continue }
      throw .unsteady(
        "Nothing was done. “\(new)” has come since the plan was made, and what the key in it seals may have been taken for forged. Repair again."
      )
    }
  }
}
