import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// The one rule for what is written to a place that is named on the command line: it lies outside of the remote, nothing but a file of the
/// same kind is in its way, no link is followed, and only its owner can read it, for what was sealed may be in it.
enum OutputPlace {
  /// Refuses a place that is taken, be it by a link that leads nowhere, or that lies in the remote.
  static func requireNothing(at path: String, _ arguments: Arguments) throws {
    try requireOutside(path, arguments, "“\(path)” lies in the remote")
    guard kind(at: path) == nil else {
      throw ToolFailure(.alreadyExists, "“\(path)” is there already", advice: "choose another place")
    }
  }

  /// Refuses a place in which something else than a file of the same kind lies, or that lies in the remote.
  ///
  /// - Parameter beginning: with which every file of the kind begins.
  static func requireReplaceable(
    _ path: String, beginning: String, _ arguments: Arguments, named option: String
  ) throws {
    try requireOutside(path, arguments, "\(option) names a file within the remote")
    guard let kind = kind(at: path) else { return }
    guard kind != S_IFREG else {
      let found = try LocalFile.beginning(of: path, count: beginning.utf8.count)
      if found.isEmpty || found.elementsEqual(beginning.utf8) { return }
      throw ToolFailure(
        .alreadyExists, "“\(path)” is there already, and something else than \(option) writes",
        advice: "choose another name")
    }
    let word =
      switch kind {
      case S_IFDIR: "a folder"
      case S_IFLNK: "a link"
      case S_IFIFO: "a pipe"
      default: "a device"
      }
    throw ToolFailure(
      .forbidden, "“\(path)” is \(word), and nothing is written in the place of one",
      advice: "name a file, or one that is not there yet")
  }

  /// Does what makes files of which only their owner can read anything.
  static func privately<Value>(_ body: () throws -> Value) rethrows -> Value {
    let mask = umask(0o077)
    defer { umask(mask) }
    return try body()
  }

  private static func requireOutside(_ path: String, _ arguments: Arguments, _ words: String) throws {
    let connection = try RemoteConnection(try arguments[RemoteParameters.remote], arguments)
    do throws(BackendError) {
      try connection.requireOutside(path)
    } catch {
      throw ToolFailure.usage(words, advice: "choose a place elsewhere")
    }
  }

  /// The kind of what lies there; `nil` if nothing does.
  private static func kind(at path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
