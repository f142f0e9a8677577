import CommandLineTool
import Foundation

/// Shows a note for programs.
enum NoteOutput {
  /// What `list` shows of a note.
  ///
  /// - Parameter awaited: the properties whose values have not arrived.
  static func json(_ note: Note, _ awaited: [String: Int]?) -> JSONValue {
    .object(members(note, awaited))
  }

  /// A note in full.
  static func full(_ note: Note, _ awaited: [String: Int]?) -> JSONValue {
    .object(
      members(note, awaited) + [
        .init("created", time(note.created)), .init("modified", time(note.modified)),
      ])
  }

  /// What became of a note that a verb has changed, if programs are told.
  static func show(_ note: Note, of notebook: Notebook, _ arguments: Arguments, _ console: Console) throws {
    guard try arguments[StoreParameters.json] else { return }
    console.print(full(note, try notebook.awaited()[note.syncID]).text)
  }

  private static func members(_ note: Note, _ awaited: [String: Int]?) -> [JSONValue.Member] {
    [
      .init("syncID", .string(note.syncID)), .init("title", .string(note.title)),
      .init("content", .string(note.content)), .init("tags", .array(note.tagNames.map { .string($0) })),
      .init("notArrived", .array((awaited ?? [:]).keys.sorted().map { .string($0) })),
    ]
  }

  /// A date of a note, to the second.
  static func time(_ date: Date) -> String { DateText.wholeSecond(date.timeIntervalSinceReferenceDate) }

  private static func time(_ date: Date?) -> JSONValue { date.map { .string(time($0)) } ?? .null }
}
