import CommandLineTool
import Foundation

/// `show`: one note in full.
enum ShowVerb {
  static let command = StoreParameters.command(
    "show", "Shows a note in full.", [StoreParameters.note], for: .reading
  ) { notebook, arguments, console in
    let note = try notebook.note(try arguments[StoreParameters.note])
    if try arguments[StoreParameters.json] {
      return try NoteOutput.show(note, of: notebook, arguments, console)
    }
    console.print("Title:    \(PrintableText.line(note.title))")
    console.print("Sync ID:  \(PrintableText.line(note.syncID))")
    console.print("Tags:     \(PrintableText.line(note.tagNames.joined(separator: ", ")))")
    console.print("Created:  \(note.created.map(NoteOutput.time) ?? "unknown")")
    console.print("Modified: \(note.modified.map(NoteOutput.time) ?? "unknown")")
    for (property, length) in (try notebook.awaited()[note.syncID] ?? [:]).sorted(by: { $0.key < $1.key }) {
      console.print(
        PrintableText.line(
          "Missing:  the \(property) of \(length) bytes has not arrived; what is shown is older, and writing it anew would replace it"
        ))
    }
    console.print("")
    console.print(PrintableText.lines(note.content))
  }
}
