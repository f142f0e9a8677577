import Foundation
import ObjectStore

/// A model that was named on a command line.
package enum ModelArgument {
  /// A model from a file of either sort. A store is told by its first bytes; everything else is taken for a model.
  package static func load(_ path: String) throws -> ManagedObjectModel {
    if isFolder(path) { return try ManagedObjectModel(contentsOf: URL(filePath: path)) }
    do {
      return try StoreFile(path: path).model
    } catch  where error.code == .otherFormat {
      return try ManagedObjectModel(contentsOf: URL(filePath: path))
    }
  }

  /// Whether a file is named in a folder that is not there.
  static func isInMissingFolder(_ path: String) -> Bool {
    !isFolder(URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
  }

  /// Whether a folder is named, as most models are.
  package static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
