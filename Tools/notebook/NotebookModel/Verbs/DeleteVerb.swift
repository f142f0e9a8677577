import CommandLineTool

/// `delete`: deletes a note on every device. Its tags stay.
enum DeleteVerb {
  static let command = StoreParameters.command(
    "delete", "Deletes a note on every device.", [StoreParameters.note]
  ) { notebook, arguments, _ in
    notebook.context.delete(try notebook.note(try arguments[StoreParameters.note]))
    try notebook.context.save()
  }
}
