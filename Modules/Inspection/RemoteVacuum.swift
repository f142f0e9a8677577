import SyncProtocol

extension RemoteInspector {
  /// Looks for what nobody needs any more in each document, by application and document. Whole stores are opened, some of the newest.
  ///
  /// - Parameter whenListed: gets the folders that were not listed, and may hold documents or parts of them.
  /// - Throws: ``InspectionError``, with `passwordNeeded` if something is encrypted and there is no password.
  public func vacuumOutlooks(
    whenListed: ([UnlistedFolder]) -> Void = { _ in }
  ) async throws(InspectionError) -> [VacuumOutlook] {
    let applications = try await applications(in: tree())
    try requireOpen(applications)
    whenListed(applications.flatMap(\.unlisted.all).filter(\.mayHoldDocuments))
    var outlooks: [VacuumOutlook] = []
    for application in applications {
      for reader in application.documents {
        // Without a genuine founding record nothing can be told.
        guard !application.isLocked, let protection = reader.protection else { continue }
        do {
          outlooks.append(try await VacuumLook(reader: reader, protection: protection).run())
        } catch let error as BackendError {
          throw error.code == .cancelled ? .cancelled : .storage(error)
        } catch {
          throw error as? InspectionError ?? .cancelled
        }
        try application.device.check()
      }
    }
    return outlooks
  }
}

/// Removes from a remote what somebody may remove who is no device: see ``VacuumOutlook``.
public struct RemoteVacuum: Sendable {
  private let backend: any SyncBackend

  /// Works on the storage behind a back end.
  public init(backend: any SyncBackend) { self.backend = backend }

  /// Removes the whole stores that newer ones have taken the place of. Cut off anywhere, it can be said again.
  ///
  /// - Returns: what could not be removed, each with the reason.
  /// - Throws: ``InspectionError`` if the storage is out of reach, or if cancelled.
  public func remove(
    _ stores: [VacuumOutlook.WholeStore]
  ) async throws(InspectionError) -> [(path: RemotePath, reason: BackendError)] {
    var left: [(path: RemotePath, reason: BackendError)] = []
    for store in stores {
      do throws(BackendError) {
        try await backend.remove(store.path)
      } catch {
        switch error.code {
        case .notFound: continue
        case .cancelled: throw .cancelled
        case .unreachable: throw .storage(error)
        default: left.append((store.path, error))
        }
      }
    }
    return left
  }
}
