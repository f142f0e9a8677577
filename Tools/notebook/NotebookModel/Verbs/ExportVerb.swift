import CommandLineTool

/// `export`: all notes as JSON, with their identifiers.
enum ExportVerb {
  static let command = StoreParameters.command(
    "export", "Prints all notes as JSON, with their identifiers, for “import”.", [], for: .reading
  ) { notebook, _, console in
    let awaited = try notebook.awaited()
    let notes = try notebook.notes().map { NoteRecord($0, awaited: awaited[$0.syncID]) }
    console.print(NoteArchive(notes: notes).json.text)
  }
}
