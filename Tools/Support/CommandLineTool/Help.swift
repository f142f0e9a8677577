/// The texts that `--help` prints, made from the declarations.
struct Help {
  let tool: Tool
  /// Columns that a line takes at most, unless one word is longer.
  let width: Int

  /// - Parameter columns: of the terminal; `nil` if the texts go elsewhere.
  init(tool: Tool, fitting columns: Int?) {
    self.tool = tool
    width = min(Self.widest, columns ?? Self.widest)
  }

  /// Longer lines are hard to read.
  private static let widest = 100

  var overview: String {
    let names = tool.commands.map { ($0.name, $0.summary) }
    return """
      \(wrap(tool.summary, after: "", indent: 0))

      Usage: \(tool.name) COMMAND ...

      Commands:
      \(table(names))

      In place of a command:
      \(table(GeneralOption.allCases.map { ($0.form + $0.value, $0.summary) }))

      \(wrap("“\(tool.name) COMMAND --help” describes one command. Exit codes: 0 done, 1 findings, 2 wrong usage; Docs/ExitCodes.md lists the others.", after: "", indent: 0))

      """
  }

  func text(for command: Command) -> String {
    let specifications = command.parameters.map(\.specification)
    let usage = specifications.map(\.usage).joined(separator: " ")
    return """
      \(wrap(command.summary, after: "", indent: 0))

      \(wrap(usage, after: "Usage: \(tool.name) \(command.name) ", indent: 4))

      \(table(rows(command.allParameters) + [("--help", "Prints this text.")]))

      """
  }

  private func rows(_ parameters: [any AnyParameter]) -> [(String, String)] {
    parameters.map(\.specification).map { specification in
      let form =
        switch specification.kind {
        case .flag: "--\(specification.name)"
        case .option: "--\(specification.name) \(specification.placeholder)"
        case .positional, .rest: specification.placeholder
        }
      return (form, specification.help)
    }
  }

  private func table(_ rows: [(String, String)]) -> String {
    let column = min(28, width / 3, rows.map(\.0.count).max() ?? 0)
    return rows.map { name, text in
      let padding = String(repeating: " ", count: max(0, column - name.count))
      return wrap(text, after: "  \(name)\(padding)  ", indent: column + 4)
    }.joined(separator: "\n")
  }

  /// Breaks a text between words; the lines after the first are indented.
  private func wrap(_ text: String, after start: String, indent: Int) -> String {
    var lines: [String] = []
    var line = start
    var isFresh = true
    for word in text.split(separator: " ") {
      // A line of nothing but its indentation takes a word of any length.
      if line.count + (isFresh ? 0 : 1) + word.count > width, line.count > indent {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isFresh = true
      }
      line += (isFresh ? "" : " ") + word
      isFresh = false
    }
    return (lines + [line]).map(Self.withoutTrailingSpaces).joined(separator: "\n")
  }

  private static func withoutTrailingSpaces(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line = line.dropLast() }
    return String(line)
  }
}
