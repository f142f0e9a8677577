import CommandLineTool

/// `list`: all notes by sync ID.
enum ListVerb {
  static let command = StoreParameters.command(
    "list", "Lists all notes.", [StoreParameters.json], for: .reading
  ) { notebook, arguments, console in
    let notes = try notebook.notes()
    let awaited = try notebook.awaited()
    if try arguments[StoreParameters.json] {
      console.print(JSONValue.array(notes.map { json($0, awaited[$0.syncID]) }).text)
    } else {
      for note in notes { console.print(line(note, awaited[note.syncID])) }
    }
  }

  private static func json(_ note: Note, _ awaited: [String: Int]?) -> JSONValue {
    [
      "syncID": .string(note.syncID), "title": .string(note.title), "content": .string(note.content),
      "tags": .array(note.tagNames.map { .string($0) }),
      "notArrived": .array((awaited ?? [:]).keys.sorted().map { .string($0) }),
    ]
  }

  private static func line(_ note: Note, _ awaited: [String: Int]?) -> String {
    // Titles, tags and even identifiers are what any device has written.
    let tags = note.tagNames.isEmpty ? "" : "  [\(note.tagNames.joined(separator: ", "))]"
    let late = awaited == nil ? "" : "  (not all of it has arrived)"
    return PrintableText.line("\(note.syncID)  \(note.title)\(tags)\(late)")
  }
}
