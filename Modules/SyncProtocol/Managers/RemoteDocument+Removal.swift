import ChangeTracking

extension RemoteDocument {
  /// Writes down that devices do not take part any more, and who removed them. One request for each.
  func remove(_ devices: [Device]) async throws {
    let transfer = HeadTransfer(backend: backend, hierarchy: hierarchy, protection: try await protection())
    for device in devices where !device.isRemoved {
      let information = RemovalInformation(
        client: device.client ?? "", name: device.name ?? "", remover: configuration.clientDescription,
        time: configuration.now())
      try await transfer.publish(transfer.protection.removal(of: device.author), information)
    }
  }
}

extension ApplicationSyncManager {
  /// What came of the removal of a device from all documents.
  public struct DeviceRemoval: Hashable, Sendable {
    /// The documents from which it was removed, by their identifiers.
    public var documents: [String] = []
    /// Documents that could not be looked into, because their keys are not at hand, or what lies there cannot be read. The device may take
    /// part in them.
    public var unread: [String] = []
  }

  /// Removes a device from all documents of the application, and what describes it. What it has sent stays in effect.
  ///
  /// For each document it is as ``DocumentSyncManager/removeDevice(_:includingOthersOfClient:)`` says.
  /// - Parameter client: the identifier of the device's client (``devices()``).
  /// - Throws: ``SyncError`` with `noSuchDevice`, `notRegistered`, `storage` or `cancelled`. Repeating it completes what was interrupted.
  @discardableResult
  public func removeDevice(_ client: String) async throws(SyncError) -> DeviceRemoval {
    guard client != configuration.client.description else { throw SyncError.removingItself }
    var removal = DeviceRemoval()
    for document in try await documents() {
      do throws(SyncError) {
        let devices = try await document.devices().filter { $0.client == client }
        guard !devices.isEmpty else { continue }
        try await document.wrapping { try await document.remove(devices) }
        removal.documents.append(document.identifier)
      } catch {
        switch error.code {
        case .documentNotFound, .documentDeleted: continue
        case .storage, .cancelled, .notRegistered: throw error
        default: removal.unread.append(document.identifier)
        }
      }
    }
    let isDescribed = try await forget(client)
    guard isDescribed || !removal.documents.isEmpty else {
      throw SyncError(
        .noSuchDevice, "No device “\(client)” takes part in any document.",
        recovery: "List the devices, and name one of them.")
    }
    return removal
  }

  /// Takes away what describes a device. Nothing depends on it.
  ///
  /// - Returns: whether there was anything.
  private func forget(_ client: String) async throws(SyncError) -> Bool {
    guard let name = RemoteName(client) else { return false }
    do {
      try await backend.remove(hierarchy.clientDevices / name)
      return true
    } catch {
      guard error.code == .notFound else { throw SyncError(wrapping: error) }
      return false
    }
  }
}
