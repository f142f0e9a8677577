import CommandLineTool

/// `delete`: deletes a note on every device. Its tags stay.
enum DeleteVerb {
  static let command = StoreParameters.command(
    "delete", "Deletes a note on every device.", [StoreParameters.note]
  ) { notebook, arguments, console in
    let note = try notebook.note(try arguments[StoreParameters.note])
    let syncID = note.syncID
    notebook.context.delete(note)
    try notebook.context.save()
    guard try arguments[StoreParameters.json] else { return }
    console.print(JSONValue.object([.init("syncID", .string(syncID)), .init("deleted", true)]).text)
  }
}
