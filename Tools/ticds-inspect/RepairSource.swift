import CommandLineTool
import Foundation
import Inspection
import RemoteAccess
import SyncProtocol

/// What `repair --from` names: it must be something else than the remote, and a store is a file.
enum RepairSource {
  /// Looks into the store of a device.
  static func store(_ path: String) throws -> KeptFiles {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      let stores = storesIn(path)
      throw ToolFailure(
        .notFound, "“\(PrintableText.line(path))” is a folder, and no store",
        advice: stores.isEmpty
          ? "name the file of a store; none lies in it"
          : "name the file: \(stores.prefix(5).map { "“store:\(PrintableText.line($0))”" }.joined(separator: " or "))"
      )
    }
    return try KeptFiles(storeAt: path)
  }

  /// The files of SQLite in a folder, in order.
  private static func storesIn(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { URL(filePath: folder).appending(path: $0).path(percentEncoded: false) }
      .filter { path in
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return (try? LocalFile.beginning(of: path, count: 16)) == Array("SQLite format 3\0".utf8)
      }
  }

  /// Refuses the remote itself as a copy of it.
  static func requireOther(
    _ source: String, _ connection: RemoteConnection, _ arguments: Arguments
  ) throws {
    let copy = try RemoteLocation(source)
    var isSame = copy.description == connection.remote
    switch copy {
    case .folder(let path), .ubiquity(let path):
      do throws(BackendError) { try connection.requireOutside(path) } catch { isSame = true }
    case .webDAV: break
    }
    guard isSame else { return }
    throw ToolFailure.usage(
      "the copy “\(PrintableText.line(source))” is the remote itself, or lies in it",
      advice: "name another copy with --from")
  }
}
