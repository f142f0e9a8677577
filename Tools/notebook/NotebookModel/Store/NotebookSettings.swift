import CommandLineTool
import Foundation

/// What a notebook's folder remembers about its remote: the file `notebook.json`.
///
/// It holds nothing secret; the keys lie in a file of their own (`PrivateKeyFile`).
struct NotebookSettings: Codable, Equatable {
  /// Version of this file.
  static let currentVersion = 1

  var version = Self.currentVersion
  /// Where the remote lies, if the notebook was made when remotes were folders and there was no `remote.json`.
  var remote: String?
  /// Identifier of the document on the remote.
  var document: String
  /// Identifier of this device.
  var client: String
  /// Name of this device, for people.
  var clientDescription: String
  /// Whether what goes to the remote is encrypted.
  var isEncrypted: Bool
  /// When the last successful sync ended, in seconds since 1970.
  var lastSync: Double?
  /// Whether the notebook is in step with nothing yet; `nil` if it is.
  var isLocal: Bool?

  init(document: String, client: String, clientDescription: String, isEncrypted: Bool) {
    self.document = document
    self.client = client
    self.clientDescription = clientDescription
    self.isEncrypted = isEncrypted
  }

  init(contentsOf file: URL) throws {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch CocoaError.fileReadNoSuchFile {
      let folder = file.deletingLastPathComponent().path(percentEncoded: false)
      // Where the notes are, and this file alone is lost, to make a notebook anew would be refused, and to remove them a loss.
      if FileManager.default.fileExists(atPath: folder + "/notebook.sqlite") {
        throw ToolFailure(
          .damaged,
          "“\(folder)” holds the notes of a notebook, but its “\(file.lastPathComponent)” is missing",
          advice: "restore that file from a copy; or move the folder away, and join the remote in a new one")
      }
      throw ToolFailure(
        .notFound, "“\(folder)” is no notebook",
        advice: "“notebook init” makes one; if it lies on a drive, look whether that is mounted")
    } catch CocoaError.fileReadNoPermission {
      throw ToolFailure(.forbidden, "“\(file.path(percentEncoded: false))” cannot be read")
    } catch {
      throw ToolFailure(
        .notFound,
        "“\(file.deletingLastPathComponent().path(percentEncoded: false))” is no notebook's folder",
        advice: "name the folder that “notebook init” made")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch {
      throw ToolFailure(
        .damaged, "“\(file.path(percentEncoded: false))” is damaged", advice: "restore it from a copy")
    }
    guard version == Self.currentVersion else {
      throw ToolFailure(
        .unsupported, "the notebook was made by another version of this program", advice: "use that version")
    }
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [.init("version", .integer(Int64(version)))]
    if let remote { members.append(.init("remote", .string(remote))) }
    members += [
      .init("document", .string(document)), .init("client", .string(client)),
      .init("clientDescription", .string(clientDescription)), .init("isEncrypted", .boolean(isEncrypted)),
      .init("lastSync", lastSync.map { .number($0) } ?? .null),
    ]
    if isLocal == true { members.append(.init("isLocal", true)) }
    return .object(members)
  }

  func write(to file: URL) throws {
    try Data((json.text + "\n").utf8).write(to: file, options: .atomic)
  }
}
