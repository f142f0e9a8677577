/// A script that fish reads: it completes with the sentences of the help.
struct FishCompletion {
  let tool: Tool

  private var isVerb: String { "__\(tool.name.functionName)_verb" }

  var script: String {
    var lines = [
      "# Completes the words of \(tool.name). Made by “\(tool.name) --completions fish”.",
      "function \(isVerb)",
      "  set -l words (commandline -opc)",
      "  if test (count $argv) -eq 0; test (count $words) -eq 1; return; end",
      "  test (count $words) -ge 2; and test $words[2] = $argv[1]",
      "end",
      "complete -c \(tool.name) -f",
    ]
    for command in tool.commands {
      lines.append(line(isVerb, "-a \(quoted(command.name)) -d \(quoted(command.summary))"))
    }
    lines.append(line(isVerb, "-a help -d \(quoted(GeneralOption.help.summary))"))
    for option in GeneralOption.allCases where option != .helpVerb {
      lines.append(line(isVerb, "-l \(option.name) -d \(quoted(option.summary))"))
    }
    let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")
    lines.append(line("\(isVerb) --completions", "-a \(quoted(shells))"))
    lines.append(line("\(isVerb) help", "-a \(quoted(tool.commands.map(\.name).joined(separator: " ")))"))
    for command in tool.commands {
      let condition = "\(isVerb) \(command.name)"
      for option in command.options {
        lines.append(line(condition, "-l \(option.name)\(value(of: option)) -d \(quoted(option.help))"))
      }
      lines.append(line(condition, "-l help -d 'Prints this text.'"))
      if command.words.contains(where: { $0.values == .files }) { lines.append(line(condition, "-F")) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ condition: String, _ rest: String) -> String {
    "complete -c \(tool.name) -n \(quoted(condition)) \(rest)"
  }

  private func value(of option: ParameterSpecification) -> String {
    guard option.kind == .option else { return "" }
    return switch option.values {
    case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    case .files: " -r -F"
    case .free: " -x"
    }
  }

  /// Within single quotes fish takes a backslash before a quote or a backslash for an escape, unlike other shells.
  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
