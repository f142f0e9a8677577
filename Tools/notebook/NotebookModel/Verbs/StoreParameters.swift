import CommandLineTool

/// What several verbs take.
enum StoreParameters {
  static let store = Parameter.required(
    "store", placeholder: "DIR", variable: "NOTEBOOK_STORE", "The notebook's folder on this device.")
  static let note = Parameter.positional("NOTE", "The note's sync ID, or an unambiguous beginning of it.")
  static let json = Parameter.flag("json", "Prints JSON instead of text.")

  static func folder(_ arguments: Arguments) throws(ToolFailure) -> NotebookFolder {
    try NotebookFolder(path: try arguments[store])
  }

  /// A text that is given on the command line, or, as “-”, on standard input; `nil` if it is not given.
  static func text(_ parameter: Parameter<String?>, _ arguments: Arguments, _ console: Console)
    throws(ToolFailure) -> String?
  {
    let text = try arguments[parameter]
    return text == "-" ? try console.readText(limit: TextFile.sizeLimit) : text
  }

  /// Makes a verb that works on an existing notebook.
  static func command(
    _ name: String, _ summary: String, _ parameters: [any AnyParameter],
    for purpose: Notebook.Purpose = .writing,
    perform: @escaping @Sendable (Notebook, Arguments, Console) throws -> Void
  ) -> Command {
    Command(name, summary, [store] + parameters + [json]) { arguments, console in
      try perform(try Notebook(try folder(arguments), for: purpose), arguments, console)
    }
  }
}
