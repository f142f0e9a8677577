import CommandLineTool
import FileManagerBackend
import Foundation
import Inspection
import RemoteAccess

/// What all commands take.
enum RemoteParameters {
  static let remote = Parameter.positional("REMOTE", "The remote: a folder or a file:// URL.")
  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F", "A file whose first line is the password of an encrypted remote.")
  static let json = Parameter.flag("json", "Prints JSON instead of text.")
  static let all: [any AnyParameter] = [remote, passwordFile, json]

  /// Makes a command whose failures name the remote.
  static func command(
    _ name: String, _ summary: String,
    body: @escaping @Sendable (RemoteInspector, Arguments, Console) async throws -> ToolStatus
  ) -> Command {
    Command.withStatus(name, summary, all) { arguments, console in
      let inspector = try inspector(arguments)
      do {
        return try await body(inspector, arguments, console)
      } catch {
        throw ToolFailure(error, remote: try arguments[remote]) ?? error
      }
    }
  }

  private static func inspector(_ arguments: Arguments) throws(ToolFailure) -> RemoteInspector {
    let location = try RemoteLocation(try arguments[remote])
    let password = try arguments[passwordFile].map { file throws(ToolFailure) in
      try PasswordFile.read(file)
    }
    return RemoteInspector(backend: FileManagerBackend(folder: location.path), password: password)
  }
}
