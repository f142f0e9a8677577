import CommandLineTool
import Inspection

/// `decrypt`: a copy of a remote that anybody can read.
enum DecryptCommand {
  private static let folder = Parameter.positional(
    "FOLDER", "Where the copy goes: a new folder on this device, outside the remote.")

  /// The version of what `--json` prints.
  private static let version: JSONValue = 1

  static let command = RemoteParameters.command(
    "decrypt", "Writes a copy of a remote, opened with the password; the remote stays as it is.", [folder]
  ) { inspector, arguments, console in
    let folder = try arguments[folder]
    try OutputPlace.requireNothing(at: folder, arguments)
    let isJSON = try arguments[RemoteParameters.json]
    var count = 0
    var problems: [JSONValue] = []
    try await inspector.writeOpened(to: folder) { file in
      count += 1
      guard let problem = file.problem else { return }
      problems.append(["path": .string("\(file.path)"), "problem": .string(problem)])
      if !isJSON {
        console.complain(
          "not written: \(DisplayText.printable("\(file.path)")): \(DisplayText.printable(problem))")
      }
    }
    let written = count - problems.count
    if isJSON {
      console.print(
        JSONValue.object([
          .init("version", version), .init("written", .integer(Int64(written))),
          .init("left", .array(problems)),
        ]).text)
    } else {
      console.print("\(written) files were written to \(DisplayText.printable(folder)).")
    }
    return problems.isEmpty ? .success : .incomplete
  }
}
