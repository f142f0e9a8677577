import CommandLineTool
import Foundation

/// `edit`: changes a note's title or text.
enum EditVerb {
  static let title = Parameter.optionalName("title", placeholder: "T", "The new title.")
  static let content = Parameter.optional(
    "content", placeholder: "C", "The new text; “-” for what standard input holds.")

  static let command = StoreParameters.command(
    "edit", "Changes a note's title or text.", [StoreParameters.note, title, content]
  ) { notebook, arguments, console in
    guard arguments.contains(title) || arguments.contains(content) else {
      throw ToolFailure.usage("there is nothing to change", advice: "give --title or --content")
    }
    let note = try notebook.note(try arguments[StoreParameters.note])
    if let title = try arguments[title] { note.title = title }
    if let content = try StoreParameters.text(content, arguments, console) { note.content = content }
    note.modified = Date()
    try notebook.save(note)
    try NoteOutput.show(note, of: notebook, arguments, console)
  }
}
