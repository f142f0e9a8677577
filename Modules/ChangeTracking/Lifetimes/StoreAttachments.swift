import Foundation
import ObjectStore

/// The files beside a store that hold values of its rows.
///
/// They lie in one folder, each under a name that is the text of a UUID, and are never changed. A ``LocalStore`` that keeps files
/// keeps them so; whoever carries a copy of a store elsewhere carries them along.
public enum StoreAttachments {
  /// Number of characters of a name.
  public static let nameLength = 36

  /// The folder that holds the files of a store; it need not exist.
  public static func folder(ofStoreAt path: String) -> String {
    PersistentStore.externalFolder(ofStoreAt: path)
  }

  /// Whether a text is the name of such a file, so that it may become part of a path.
  public static func isName(_ text: String) -> Bool {
    text.utf8.count == nameLength && UUID(uuidString: text) != nil
  }

  /// The names of the files of a store, in order.
  ///
  /// - Throws: a file system error.
  public static func names(ofStoreAt path: String) throws -> [String] {
    let folder = folder(ofStoreAt: path)
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter(isName).sorted()
  }
}
