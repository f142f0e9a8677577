import CommandLineTool
import Inspection

/// `export`: the objects of a document, in a form that other programs read.
enum ExportCommand {
  static let command = RemoteParameters.command(
    "export", "Writes the objects of a document as JSON lines, CSV, SQLite or a Core Data store.",
    [
      StateParameters.document, StateParameters.time, StateParameters.device, StateParameters.model,
      StateParameters.format, StateParameters.output,
    ], exclusive: [[StateParameters.time, StateParameters.device]]
  ) { inspector, arguments, console in
    let moment = try await StateParameters.moment(arguments, inspector)
    return try await StateParameters.write(moment, inspector, arguments, console)
  }
}

/// `at`: a document as it was.
enum AtCommand {
  private static let time = Parameter.positional(
    "TIME", "The time (UTC), as 2026-01-31 or 2026-01-31T12:00:00Z.")

  static let command = RemoteParameters.command(
    "at", "Writes a document as it was at a time: what a device holds that stopped synchronising then.",
    [time, StateParameters.document, StateParameters.model, StateParameters.format, StateParameters.output]
  ) { inspector, arguments, console in
    let moment = StateMoment.until(try CommandLineTime.milliseconds(try arguments[time], "TIME"))
    return try await StateParameters.write(moment, inspector, arguments, console)
  }
}
