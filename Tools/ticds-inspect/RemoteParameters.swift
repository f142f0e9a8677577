import CommandLineTool
import Foundation
import Inspection
import RemoteAccess
import SyncProtocol

/// What all commands take.
enum RemoteParameters {
  static let remote = Parameter.positional(
    "REMOTE", "The remote: a folder, a file:// URL, webdavs://host/path, or ubiquity:PATH.")
  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F", "A file whose first line is the password of an encrypted remote.")
  static let json = Parameter.flag("json", "Prints JSON instead of text.")
  static let shared: [any AnyParameter] = [passwordFile, json] + RemoteConnection.parameters

  /// Makes a command whose failures name the remote.
  static func command(
    _ name: String, _ summary: String, _ others: [any AnyParameter] = [],
    exclusive: [[any AnyParameter]] = [],
    body: @escaping @Sendable (RemoteInspector, Arguments, Console) async throws -> ToolStatus
  ) -> Command {
    Command.withStatus(name, summary, [remote] + others + shared, exclusive: exclusive) {
      arguments, console in
      let inspector = try inspector(arguments)
      do {
        return try await body(inspector, arguments, console)
      } catch {
        throw ToolFailure(inspection: error, remote: try arguments[remote]) ?? error
      }
    }
  }

  /// The remote as it stands in the commands that are suggested, with the options that reach it.
  static func reached(_ arguments: Arguments) throws(ToolFailure) -> String {
    ([ShellWord.place(try arguments[remote])] + (try RemoteConnection.given(arguments))).joined(
      separator: " ")
  }

  /// The same with the password's file.
  static func given(_ arguments: Arguments) throws(ToolFailure) -> String {
    let file = try arguments[passwordFile].map { " --password-file \(ShellWord.place($0))" }
    return try reached(arguments) + (file ?? "")
  }

  static func inspector(_ arguments: Arguments, of name: String? = nil) throws(ToolFailure) -> RemoteInspector
  {
    let place = if let name { name } else { try arguments[remote] }
    let connection = try RemoteConnection(place, arguments)
    let password = try arguments[passwordFile].map { file throws(ToolFailure) in
      try PasswordFile.read(file)
    }
    return RemoteInspector(backend: RetryingBackend(try connection.open(toLook: true)), password: password)
  }
}
