/// A script that zsh reads, from its function path or with `source`: it completes with the sentences of the help.
struct ZshCompletion {
  let tool: Tool

  var script: String {
    let function = "_\(tool.name.functionName)"
    let verbs = tool.commands.map { "\($0.name):\($0.summary)".shellQuoted }
    let general = GeneralOption.allCases.map {
      "\($0.form.replacing(":", with: "\\:")):\($0.summary)".shellQuoted
    }
    return """
      #compdef \(tool.name)
      # Completes the words of \(tool.name). Made by “\(tool.name) --completions zsh”.
      \(function)() {
        if (( CURRENT == 2 )); then
          local -a verbs=(
            \((verbs + general).joined(separator: "\n      "))
          )
          _describe -t commands command verbs
          return
        fi
        local verb=$words[2]
        shift words
        (( CURRENT-- ))
        case $verb in
          --completions) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
          help) _values command \(tool.commands.map(\.name.shellQuoted).joined(separator: " ")) ;;
      \(tool.commands.map(arguments).joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == \(function) ]]; then \(function) "$@"; else compdef \(function) \(tool.name); fi

      """
  }

  private func arguments(of command: Command) -> String {
    var lines = command.options.map { option in
      let others = command.exclusive.map { $0.map(\.specification) }
        .filter { group in group.contains { $0.name == option.name } }
        .joined().filter { $0.isOption && $0.name != option.name }.map { "--\($0.name)" }
      let start = option.isRepeatable ? "*" : others.isEmpty ? "" : "(\(others.joined(separator: " ")))"
      let value = option.kind == .flag ? "" : ":\(Self.plain(option.placeholder)):\(action(option.values))"
      return "\(start)--\(option.name)[\(Self.plain(option.help))]\(value)".shellQuoted
    }
    lines.append("--help[Prints this text.]".shellQuoted)
    for (index, word) in command.words.enumerated() {
      let place = word.kind == .rest ? "*" : "\(index + 1)"
      lines.append("\(place):\(Self.plain(word.placeholder)):\(action(word.values))".shellQuoted)
    }
    return """
          \(command.name.shellQuoted))
            _arguments \(lines.joined(separator: " \\\n        ")) ;;
      """
  }

  private func action(_ values: ParameterSpecification.Values) -> String {
    switch values {
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .files: "_files"
    case .free: " "
    }
  }

  /// Brackets and colons end the parts of a description.
  private static func plain(_ text: String) -> String {
    var result = ""
    for character in text {
      if "\\[]:".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }
}
