import Foundation

/// Stores whose names differ in their extension alone have one folder for long values. Each takes the files of the other for its own, of which
/// no row of its own knows. Binary and XML stores have no such folder.
extension ExternalValues {
  /// The names of the other stores that have the folder of a store, in their order.
  static func neighbours(ofStoreAt path: String) -> [String] {
    let store = URL(filePath: path)
    let (folder, name) = (store.deletingLastPathComponent(), store.lastPathComponent)
    let own = ExternalValues(storePath: path).supportFolder.lastPathComponent
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    return names.filter { other in
      let place = folder.appending(path: other).path(percentEncoded: false)
      return other != name && ExternalValues(storePath: place).supportFolder.lastPathComponent == own
        && !["-wal", "-shm", "-journal"].contains(where: other.hasSuffix)
        && (try? StoreFile.kind(of: place)) == .sqlite
    }.sorted()
  }

  /// Refuses to make a store whose long values would lie among those of another one.
  ///
  /// - Throws: ``StoreFileError`` with `sharedFolder`.
  static func refuseSharing(_ path: String, of model: ManagedObjectModel) throws(StoreFileError) {
    guard model.entities.contains(where: { $0.hasExternalValues }) else { return }
    let place = ExternalValues(storePath: path).supportFolder
    var isFolder: ObjCBool = true
    let placePath = place.path(percentEncoded: false)
    if FileManager.default.fileExists(atPath: placePath, isDirectory: &isFolder), !isFolder.boolValue {
      throw StoreFileError(.exists, path: placePath, "it is in the place of the folder for long values")
    }
    guard let other = neighbours(ofStoreAt: path).first else { return }
    let folder = place.lastPathComponent
    throw StoreFileError(
      .sharedFolder, path: path,
      "its long values would lie in “\(folder)” with those of “\(other)”, and either store would remove the other's"
    )
  }
}

extension EntityDescription {
  fileprivate var hasExternalValues: Bool {
    properties.contains { $0.asAttribute?.isMarkedExternal == true }
  }
}
