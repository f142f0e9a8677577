import CommandLineTool
import Crypto
import Foundation
import RemoteAccess
import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder that `--store` names, and the files in it.
struct NotebookFolder {
  let url: URL

  init(path: String) throws(ToolFailure) {
    guard !path.isEmpty else { throw .usage("the store's name is empty") }
    url = URL(filePath: path, directoryHint: .isDirectory)
  }

  init(url: URL) { self.url = url }

  /// As a person knows it.
  var path: String { url.path(percentEncoded: false).trimmingSuffix("/") }
  /// The notes, and the bookkeeping of sync in the same file.
  var database: URL { url.appending(path: "notebook.sqlite") }
  /// What connects the notebook with its remote; nothing secret.
  var settings: URL { url.appending(path: "notebook.json") }
  /// How the remote is reached; nothing secret.
  var connection: URL { url.appending(path: "remote.json") }
  /// The keys of an encrypted remote.
  var keys: PrivateKeyFile {
    PrivateKeyFile(path: url.appending(path: "notebook.keys").path(percentEncoded: false))
  }
  /// Remembers which key files of a crowded remote a password was tried on: beside the folder, which comes to be with the notebook.
  var triedKeyFiles: String { path + ".tried" }
  /// What the last merge changed, so that it can be taken back.
  var lastMerge: URL { url.appending(path: "notebook.undo") }
  /// Held while a sync runs.
  var lock: URL { url.appending(path: "notebook.lock") }

  var exists: Bool { FileManager.default.fileExists(atPath: path) }
  /// Whether this user may make files in it, and the file system is not mounted for reading alone.
  var isWritable: Bool { access(path, W_OK) == 0 }
  /// The failure of whoever wants to write into it and cannot.
  var notWritable: ToolFailure {
    ToolFailure(.forbidden, "the folder “\(path)” cannot be written", advice: "check its permissions")
  }

  /// Where the remote lies, and how it is reached.
  func remembered(_ settings: NotebookSettings) throws(ToolFailure) -> RemoteConnection {
    guard settings.isLocal != true else { throw hasNoRemote }
    return try RemoteConnection(
      contentsOf: connection, remote: settings.remote,
      advice: "“notebook remote --remote” says anew where the remote lies and how it is reached")
  }

  /// The failure of whatever takes a remote.
  var hasNoRemote: ToolFailure {
    ToolFailure(
      .notFound, "the notebook “\(path)” has no remote yet",
      advice: "“notebook init --remote” joins it to one")
  }

  /// The keys of a notebook that is encrypted.
  ///
  /// - Throws: `ToolFailure`, or `SyncError` with `keysUnreadable`.
  func keptKeys() throws -> KeyRing {
    let advice = "“notebook sync --password-file” gets the keys back with the password"
    do throws(SyncError) {
      if let ring = try keys.load() { return ring }
    } catch {
      guard error.code == .keysDamaged else { throw error }
      throw ToolFailure(.damaged, "the key file “\(keys.path)” is damaged", advice: advice)
    }
    throw ToolFailure(.wrongPassword, "the key file “\(keys.path)” is missing", advice: advice)
  }

  /// The keys as far as they are there and whole.
  ///
  /// - Throws: `SyncError` with `keysUnreadable`.
  func usableKeys() throws(SyncError) -> KeyRing? {
    do throws(SyncError) {
      return try keys.load()
    } catch {
      guard error.code == .keysDamaged else { throw error }
      return nil
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    count > suffix.count && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
