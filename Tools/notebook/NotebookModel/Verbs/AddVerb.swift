import CommandLineTool
import Foundation

/// `add`: makes a note and prints its sync ID, nothing else.
enum AddVerb {
  static let title = Parameter.requiredName("title", placeholder: "T", "The title.")
  static let content = Parameter.optional("content", placeholder: "C", "The text.")
  static let tags = Parameter.repeated("tag", placeholder: "X", "A tag; may be given several times.")

  static let command = StoreParameters.command(
    "add", "Makes a note and prints its sync ID.", [title, content, tags]
  ) { notebook, arguments, console in
    let note = try notebook.insertNote(
      title: try arguments[title], content: try arguments[content] ?? "", tags: try arguments[tags],
      at: Date())
    try notebook.context.save()
    console.print(note.syncID)
  }
}
