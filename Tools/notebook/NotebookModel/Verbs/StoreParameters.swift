import CommandLineTool

/// What several verbs take.
enum StoreParameters {
  static let store = Parameter.required("store", placeholder: "DIR", "The notebook's folder on this device.")
  static let note = Parameter.positional("NOTE", "The note's sync ID, or an unambiguous beginning of it.")
  static let json = Parameter.flag("json", "Prints JSON instead of text.")

  static func folder(_ arguments: Arguments) throws(ToolFailure) -> NotebookFolder {
    try NotebookFolder(path: try arguments[store])
  }

  /// Makes a verb that works on an existing notebook.
  static func command(
    _ name: String, _ summary: String, _ parameters: [any AnyParameter],
    for purpose: Notebook.Purpose = .writing,
    perform: @escaping @Sendable (Notebook, Arguments, Console) throws -> Void
  ) -> Command {
    Command(name, summary, [store] + parameters) { arguments, console in
      try perform(try Notebook(try folder(arguments), for: purpose), arguments, console)
    }
  }
}
