import ChangeTracking
import CommandLineTool
import Foundation
import Inspection
import ObjectStore
import StoreAccess

/// How a state of a document is asked for.
enum StateParameters {
  static let document = Parameter.optionalName(
    "document", placeholder: "ID", "The document; needed if there are several.")
  static let model = Parameter.optionalName(
    "model", placeholder: "MODEL",
    "The application's model, or a store that holds it. Without it one is made of what the sets say.")
  static let time = Parameter.optionalName(
    "at", placeholder: "TIME", "As of this time (UTC), as 2026-01-31 or 2026-01-31T12:00:00Z.")
  static let device = Parameter.optionalName(
    "seen-by", placeholder: "DEVICE", "What this device had merged, as its newest head says.")
  static let format = Parameter<StateFormat>.choice(
    "as", default: .jsonl,
    "How it is written: JSON lines; a folder of CSV files; a plain SQLite database; a Core Data store.")
  static let output = Parameter.optionalName(
    "output", placeholder: "PATH",
    "Where it is written; nothing lies there. Without it JSON lines are printed.")

  static func moment(
    _ arguments: Arguments, _ inspector: RemoteInspector
  ) async throws -> StateMoment {
    if let text = try arguments[time] { return .until(try CommandLineTime.milliseconds(text, "--at")) }
    guard let name = try arguments[device] else { return .now }
    return .seen(by: try await inspector.author(called: name, of: try arguments[document]))
  }

  /// Makes a state, and writes it where it was asked for.
  static func write(
    _ moment: StateMoment, _ inspector: RemoteInspector, _ arguments: Arguments, _ console: Console
  ) async throws -> ToolStatus {
    let format = try arguments[format]
    let path = try arguments[output]
    if let path {
      try OutputPlace.requireNothing(at: path, arguments)
    } else if format != .jsonl {
      throw ToolFailure.usage("--as \(format.rawValue) needs --output")
    }
    let state = try await inspector.state(
      of: try arguments[document], at: moment, model: try arguments[model].map(ModelArgument.load))
    try OutputPlace.privately { try StateWriter(state: state, console: console).write(format, to: path) }
    return report(state, console)
  }

  /// Prints what a state lacks.
  static func report(_ state: DocumentState, _ console: Console) -> ToolStatus {
    for omission in state.omissions { console.complain("missing: \(DisplayText.printable(omission))") }
    return state.omissions.isEmpty ? .success : .incomplete
  }
}

/// The forms in which a state is written.
enum StateFormat: String, CaseIterable, Sendable {
  case jsonl, csv, sqlite, store
}
