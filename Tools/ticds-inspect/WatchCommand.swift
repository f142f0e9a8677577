import ChangeTracking
import CommandLineTool
import Inspection
import RemoteAccess

/// `watch`: a line for each set that appears, until the process is told to end.
enum WatchCommand {
  static let interval = Parameter.number(
    "interval", in: 1...3_600, default: 10,
    "Seconds until the next look where the storage does not tell of changes.")

  static let command = RemoteParameters.command(
    "watch", "Prints a line for each set that devices push from now on; Control-C ends it.", [interval]
  ) { inspector, arguments, console in
    let isJSON = try arguments[RemoteParameters.json]
    try await watch(inspector, arguments, console) { set, name in
      console.print(isJSON ? json(set, name).line : line(set, name))
    }
    return .success
  }

  /// Shows each set that appears, until the process is told to end or nobody reads any more.
  static func watch(
    _ inspector: RemoteInspector, _ arguments: Arguments, _ console: Console,
    _ show: (InspectedSet, _ name: String) -> Void
  ) async throws {
    do {
      try await inspector.watchSets(
        every: .seconds(try arguments[interval]),
        whenReady: { console.complain("watching; Control-C ends it") },
        whenUnlisted: { folders in
          for sentence in folders.sentences { console.complain("ticds-inspect: \(sentence)") }
          if folders.isEmpty { console.complain("ticds-inspect: all folders can be listed again") }
        }
      ) { set, name in
        show(set, name)
        try flush(console)
      }
    } catch is ReaderGone {
      return
    }
  }

  /// The program that the output goes to has ended.
  private struct ReaderGone: Error {}

  /// Ends the watch if nobody can read it any more.
  private static func flush(_ console: Console) throws {
    if let failure = console.flush() {
      throw ToolFailure(
        failure.isFull ? .full : .forbidden, "the output could not be written: \(failure.words)")
    }
    guard console.hasReader else { throw ReaderGone() }
  }

  private static func line(_ set: InspectedSet, _ name: String) -> String {
    let start =
      "\(DisplayText.shortened(name, to: 30))  set \(set.name.sequence) of \(DisplayText.printable(set.document))"
    switch set.result {
    case .failure(let failure):
      return "\(start)  CANNOT BE READ: \(DisplayText.printable(failure.description))"
    case .success(let content):
      let times = content.changes.map(\.time)
      let span = times.max().map { ", until \(DisplayText.time($0))" } ?? ""
      return "\(start)  \(content.changes.count) changes\(span)  \(set.size.map(ByteSize.text) ?? "")"
    }
  }

  private static func json(_ set: InspectedSet, _ name: String) -> JSONValue {
    var changes: Int?
    var problem: String?
    var last: LogicalTime?
    switch set.result {
    case .success(let content): (changes, last) = (content.changes.count, content.changes.map(\.time).max())
    case .failure(let failure): problem = failure.description
    }
    return [
      "version": 1, "document": .string(set.document), "author": .string(set.author.description),
      "description": .string(name), "sequence": .integer(Int64(clamping: set.name.sequence)),
      "path": .string("\(set.path)"), "size": set.size.map { .integer($0) } ?? .null,
      "changes": changes.map { .integer(Int64($0)) } ?? .null,
      "last": last.map { .string(DisplayText.time($0)) } ?? .null,
      "problem": problem.map { .string($0) } ?? .null,
    ]
  }
}
