import ShownText

/// A shell that completes the words of a tool's command line, with a script made from the tool's declaration.
enum Shell: String, CaseIterable {
  case bash
  case zsh
  case fish

  func script(for tool: Tool) -> String {
    switch self {
    case .bash: BashCompletion(tool: tool).script
    case .zsh: ZshCompletion(tool: tool).script
    case .fish: FishCompletion(tool: tool).script
    }
  }
}

extension String {
  /// The text as one word of a shell: within single quotes, in which only they themselves mean something.
  var shellQuoted: String { ShellWord.verbatim(self) }

  /// The tool's name as part of the name of a function.
  var functionName: String { replacing("-", with: "_") }
}

extension ParameterSpecification {
  /// What may stand in the place of a value.
  enum Values: Equatable {
    /// One of these words.
    case words([String])
    /// A file or folder.
    case files
    /// Anything else, which nobody can complete.
    case free
  }

  private static let namesOfFiles: Set<String> = [
    "DIR", "DST", "F", "FILE", "FILE|MODEL", "FOLDER", "MODEL", "REMOTE", "SRC",
  ]

  var values: Values {
    if Self.namesOfFiles.contains(placeholder) { return .files }
    let words = placeholder.split(separator: "|").map(String.init)
    return words.count > 1 ? .words(words) : .free
  }

  var isOption: Bool { kind == .option || kind == .flag }
}

extension Command {
  /// What may be given with two dashes, `--help` besides.
  var options: [ParameterSpecification] { allParameters.map(\.specification).filter(\.isOption) }

  /// The words that are given by their place.
  var words: [ParameterSpecification] { parameters.map(\.specification).filter { !$0.isOption } }
}
