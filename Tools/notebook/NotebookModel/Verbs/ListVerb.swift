import CommandLineTool

/// `list`: all notes by sync ID.
enum ListVerb {
  static let command = StoreParameters.command(
    "list", "Lists all notes.", [], for: .reading
  ) { notebook, arguments, console in
    let notes = try notebook.notes()
    let awaited = try notebook.awaited()
    if try arguments[StoreParameters.json] {
      console.print(JSONValue.array(notes.map { NoteOutput.json($0, awaited[$0.syncID]) }).text)
    } else {
      for note in notes { console.print(line(note, awaited[note.syncID])) }
    }
  }

  private static func line(_ note: Note, _ awaited: [String: Int]?) -> String {
    // Titles, tags and even identifiers are what any device has written.
    let tags = note.tagNames.isEmpty ? "" : "  [\(note.tagNames.joined(separator: ", "))]"
    let late = awaited == nil ? "" : "  (not all of it has arrived)"
    return PrintableText.line("\(note.syncID)  \(note.title)\(tags)\(late)")
  }
}
