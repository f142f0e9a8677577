/// A script that bash reads: it completes verbs, options, choices and files.
struct BashCompletion {
  let tool: Tool

  var script: String {
    let function = "_\(tool.name.functionName)"
    let first = tool.commands.map(\.name) + GeneralOption.allCases.map(\.form)
    return """
      # Completes the words of \(tool.name). Made by “\(tool.name) --completions bash”.
      \(function)() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          mapfile -t COMPREPLY < <(compgen -W \(first.joined(separator: " ").shellQuoted) -- "$word")
          return
        fi
        case "$verb $previous" in
          '--completions --completions') \(Self.choose(Shell.allCases.map(\.rawValue))); return ;;
          'help help') \(Self.choose(tool.commands.map(\.name))); return ;;
      \(tool.commands.flatMap(values).joined(separator: "\n"))
        esac
        case "$verb" in
      \(tool.commands.map(options).joined(separator: "\n"))
        esac
      }
      complete -F \(function) \(tool.name)

      """
  }

  private func values(of command: Command) -> [String] {
    command.options.filter { $0.kind == .option }.map { option in
      "    \("\(command.name) --\(option.name)".shellQuoted)) \(complete(option.values)); return ;;"
    }
  }

  private func options(of command: Command) -> String {
    let names = command.options.map { "--\($0.name)" } + ["--help"]
    let takesFiles = command.words.contains { $0.values == .files }
    return """
          \(command.name.shellQuoted))
            if [[ $word == -* ]]; then \(Self.choose(names))\(takesFiles ? "; else \(Self.files)" : ""); fi ;;
      """
  }

  private func complete(_ values: ParameterSpecification.Values) -> String {
    switch values {
    case .words(let words): Self.choose(words)
    case .files: Self.files
    case .free: ":"
    }
  }

  private static func choose(_ words: [String]) -> String {
    "mapfile -t COMPREPLY < <(compgen -W \(words.joined(separator: " ").shellQuoted) -- \"$word\")"
  }

  /// Readline quotes names and adds slashes if it is told that they are files; outside of it nobody can be told.
  private static let files =
    "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); compopt -o filenames 2>/dev/null || :"
}
