import CommandLineTool
import Foundation

/// `edit`: changes a note's title or text.
enum EditVerb {
  static let title = Parameter.optionalName("title", placeholder: "T", "The new title.")
  static let content = Parameter.optional("content", placeholder: "C", "The new text.")

  static let command = StoreParameters.command(
    "edit", "Changes a note's title or text.", [StoreParameters.note, title, content]
  ) { notebook, arguments, _ in
    guard arguments.contains(title) || arguments.contains(content) else {
      throw ToolFailure.usage("there is nothing to change", advice: "give --title or --content")
    }
    let note = try notebook.note(try arguments[StoreParameters.note])
    if let title = try arguments[title] { note.title = title }
    if let content = try arguments[content] { note.content = content }
    note.modified = Date()
    try notebook.context.save()
  }
}
