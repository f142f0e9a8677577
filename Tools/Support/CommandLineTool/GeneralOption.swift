/// What every tool takes in the place of a command.
enum GeneralOption: String, CaseIterable {
  case helpVerb = "help"
  case help = "--help"
  case version = "--version"
  case completions = "--completions"
  case manual = "--manual"

  /// As it is written.
  var form: String { rawValue }

  /// Without dashes.
  var name: String { String(rawValue.drop { $0 == "-" }) }

  /// What follows it, as the help shows it.
  var value: String {
    switch self {
    case .helpVerb: " [COMMAND]"
    case .completions: " \(Shell.allCases.map(\.rawValue).joined(separator: "|"))"
    case .help, .version, .manual: ""
    }
  }

  /// What it does, in one sentence.
  var summary: String {
    switch self {
    case .helpVerb: "Describes a command, or lists them."
    case .help: "Lists the commands."
    case .version: "Prints the version."
    case .completions: "Prints a script with which a shell completes command lines."
    case .manual: "Prints the manual page, for man."
    }
  }
}
