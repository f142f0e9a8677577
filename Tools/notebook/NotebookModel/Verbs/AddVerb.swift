import CommandLineTool
import Foundation

/// `add`: makes a note and prints its sync ID, nothing else but with `--json`.
enum AddVerb {
  static let title = Parameter.requiredName("title", placeholder: "T", "The title.")
  static let content = Parameter.optional(
    "content", placeholder: "C", "The text; “-” for what standard input holds.")
  static let tags = Parameter.repeatedName("tag", placeholder: "X", "A tag; may be given several times.")

  static let command = StoreParameters.command(
    "add", "Makes a note and prints its sync ID.", [title, content, tags]
  ) { notebook, arguments, console in
    let note = try notebook.insertNote(
      title: try arguments[title], content: try StoreParameters.text(content, arguments, console) ?? "",
      tags: try arguments[tags],
      at: Date())
    try notebook.context.save()
    if try arguments[StoreParameters.json] {
      try NoteOutput.show(note, of: notebook, arguments, console)
    } else {
      console.print(note.syncID)
    }
  }
}
