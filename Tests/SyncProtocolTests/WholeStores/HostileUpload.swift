import BackendConformance
import ChangeTracking
import Foundation
import TICDSSQLite
import TemporaryFolders

@testable import SyncProtocol

/// A member that uploads whole stores as no device writes them.
struct HostileUpload {
  let remote: MemoryBackend
  let device: Device
  let folder: TemporaryFolder

  /// Uploads what comes of a copy of the device's store when it is edited, as the newest whole store.
  ///
  /// - Parameters:
  ///   - more: sets of some authors that it says to contain besides.
  ///   - edit: makes the copy what no device writes.
  @discardableResult
  func callAsFunction(
    saying more: VersionVector = VersionVector(), _ edit: (Connection) throws -> Void
  ) async throws -> WholeStoreName {
    let copy = path("copy")
    var snapshot = try device.replica().snapshot(
      to: copy, keepingRemoteNotes: RegistrationPins.notesOfCopies)
    try edit(Connection(path: copy))
    for (author, count) in more.sequences { snapshot.contents[author] += count }
    let document = try await device.remoteDocument(remote)
    let transfer = WholeStoreTransfer(
      backend: remote, hierarchy: .notes, protection: try await document.protection())
    let file = path("file")
    let name = try transfer.pack(snapshot, to: file, progress: nil)
    try await transfer.upload(file, as: name, progress: nil)
    return name
  }

  private func path(_ name: String) -> String { folder.file("\(name)-\(UUID().uuidString)") }
}
