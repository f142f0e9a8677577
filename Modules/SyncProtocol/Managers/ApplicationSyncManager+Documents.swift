import Crypto

extension ApplicationSyncManager {
  /// A device of the application, as it describes itself.
  public struct Device: Hashable, Sendable {
    /// The client's identifier.
    public var client: String
    /// What it says of itself; `nil` if that cannot be read.
    public var information: DeviceInformation?
  }

  /// The documents of the application, in the order of their identifiers, whether they can be read or not. One request.
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `storage` or `cancelled`.
  public func documents() async throws(SyncError) -> [RemoteDocument] {
    let keys = try registered().keys
    do {
      let listing = try await backend.listIfPresent(hierarchy.documents)
      return (listing?.entries ?? []).filter { $0.kind == .folder }.map(\.name).sorted()
        .map { document($0, keys) }
    } catch {
      throw SyncError(wrapping: error)
    }
  }

  /// A document of the application. Makes no request: asking it tells whether it is there.
  ///
  /// - Throws: ``SyncError`` with `notRegistered` or `invalidIdentifier`.
  public func document(_ identifier: String) throws(SyncError) -> RemoteDocument {
    document(try ApplicationConfiguration.name(identifier, of: "document"), try registered().keys)
  }

  /// The devices of the application, in the order of their identifiers. A request for each device, and one more.
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `storage` or `cancelled`.
  public func devices() async throws(SyncError) -> [Device] {
    let files = fileProtection(with: try registered().keys)
    do {
      let listing = try await backend.listIfPresent(hierarchy.clientDevices)
      let clients = (listing?.entries ?? []).filter { $0.kind == .folder }.map(\.name).sorted()
      return try await concurrently(clients, limit: SetTransfer.parallelism) { [backend, hierarchy] client in
        do {
          let bytes = try await backend.download(
            hierarchy.deviceInformation(of: client), limit: InformationFile.sizeLimit * 2)
          let content = try files.open(bytes, as: hierarchy.deviceContext(of: client.description))
          return Device(client: client.description, information: try DeviceInformation(content))
        } catch let error as BackendError where !error.isAboutOneFile {
          throw error
        } catch {
          return Device(client: client.description, information: nil)
        }
      }
    } catch {
      throw SyncError(wrapping: error)
    }
  }

  private func registered() throws(SyncError) -> ApplicationRegistration {
    guard let registration else {
      throw SyncError(
        .notRegistered, "The application was not registered with the remote.",
        recovery: "Register or resume the application first.")
    }
    return registration
  }

  private func document(_ identifier: RemoteName, _ keys: KeyRing?) -> RemoteDocument {
    RemoteDocument(
      hierarchy: hierarchy.document(identifier), backend: backend, configuration: configuration, keys: keys)
  }
}
