import CommandLineTool
import Foundation
import Inspection
import RemoteAccess
import SyncProtocol

/// `show`: what a single file holds, whatever it is.
enum ShowCommand {
  private static let file = Parameter.positional("FILE", "The file: a path on this device, or within REMOTE.")
  private static let remote = Parameter.optionalName(
    "in", placeholder: "REMOTE", "The remote that FILE lies in; then FILE is a path from its root.")

  static let command = Command.withStatus(
    "show", "Shows what a file holds, recognised by its content: anything of ours, stores, archives.",
    [file, remote] + RemoteParameters.shared
  ) { arguments, console in
    let path = try arguments[file]
    let name = try arguments[remote]
    try requireFile(path, in: name)
    let content: FileContent
    do {
      content = try await read(path, in: name, arguments)
    } catch {
      throw ToolFailure(inspection: error, remote: name ?? path) ?? error
    }
    if try arguments[RemoteParameters.json] {
      console.print(FileContentText.json(content, path).text)
    } else {
      FileContentText.show(content, path, console)
    }
    if content.isLocked { return .wrongPassword }
    return content.problem == nil ? .success : .findings
  }

  /// Leads whoever names a folder to what shows folders, and refuses what would be waited for.
  private static func requireFile(_ path: String, in remote: String?) throws(ToolFailure) {
    var status = stat()
    guard remote == nil, stat(path, &status) == 0 else { return }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR:
      throw ToolFailure(
        .notFound, "“\(PrintableText.line(path))” is a folder",
        advice: "“ticds-inspect tree” and “ticds-inspect info” show a remote; name a file in it")
    default:
      throw ToolFailure(
        .notFound, "“\(PrintableText.line(path))” is a pipe or a device, and no file",
        advice: "write what it gives into a file, and name that")
    }
  }

  private static func read(
    _ path: String, in remote: String?, _ arguments: Arguments
  ) async throws -> FileContent {
    if let remote {
      guard let place = RemotePath(path) ?? RemotePath(path, .classic) else {
        throw path.split(separator: "/").contains { $0.hasPrefix(".") }
          ? hiddenName(path) : InspectionError.noFile(path)
      }
      return try await RemoteParameters.inspector(arguments, of: remote).content(of: place)
    }
    guard let (root, place) = enclosingRemote(of: path) else { return try FileContent(ofFileAt: path) }
    return try await RemoteParameters.inspector(arguments, of: root).content(of: place)
  }

  /// No storage is asked for such names, for none of ours is one.
  private static func hiddenName(_ path: String) -> ToolFailure {
    ToolFailure(
      .notFound, "“\(PrintableText.line(path))” has a name that begins with a dot, which is none of ours",
      advice: "if the remote is a folder on this device, name the file by its path there, without --in")
  }

  /// The folder remote in which a file on this device lies, as its path and the folders beside it tell.
  private static func enclosingRemote(of path: String) -> (root: String, place: RemotePath)? {
    let url = URL(filePath: path).standardizedFileURL
    var folder = url.deletingLastPathComponent()
    var names = [url.lastPathComponent]
    for _ in 0..<5 {
      names.insert(folder.lastPathComponent, at: 0)
      let entries = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
      folder.deleteLastPathComponent()
      guard let place = RemotePath(names.joined(separator: "/")),
        FileRole(path: place.names, kind: .file) != .foreign,
        ApplicationHierarchy.isWithin(entries ?? [])
      else { continue }
      return (folder.path(percentEncoded: false), place)
    }
    return nil
  }
}
