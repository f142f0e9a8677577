/// A tool's manual page in the macros of man(7), made from its declaration.
struct ManualPage {
  let tool: Tool
  /// The day on which what tools take last changed; a page bears a date, and equal programs print equal pages.
  static let date = "2026-11-23"

  var source: String {
    var page = ManualText()
    page.request(".TH \(ManualText.escaped(tool.name.uppercased())) 1 \(Self.date) \"TICDS \(tool.version)\"")
    page.request(".SH NAME")
    page.text("\(tool.name) - \(nameLine)")
    page.request(".SH SYNOPSIS")
    page.request("\(ManualText.bold(tool.name)) \\fICOMMAND\\fR ...")
    page.request(".SH DESCRIPTION")
    page.text(tool.summary)
    page.request(".SH COMMANDS")
    for command in tool.commands { describe(command, &page) }
    page.request(".SH OPTIONS")
    page.text("These stand in the place of a command.")
    for option in GeneralOption.allCases {
      page.request(".TP")
      page.request(ManualText.bold(option.form) + ManualText.escaped(option.value))
      page.text(option.summary)
    }
    page.request(".SH EXIT STATUS")
    for row in ToolStatus.table {
      page.request(".TP")
      page.request(ManualText.bold("\(row.status.rawValue)"))
      page.text(row.meaning)
    }
    return page.source
  }

  /// The summary as a part of a line: without its full stop, and beginning small.
  private var nameLine: String {
    let text = tool.summary.hasSuffix(".") ? String(tool.summary.dropLast()) : tool.summary
    return (text.first?.lowercased() ?? "") + text.dropFirst()
  }

  private func describe(_ command: Command, _ page: inout ManualText) {
    page.request(".SS \(ManualText.escaped(command.name))")
    let usage = command.parameters.map(\.specification.usage).joined(separator: " ")
    page.request(".HP")
    page.request("\(ManualText.bold("\(tool.name) \(command.name)"))")
    page.text(usage)
    page.request(".PP")
    page.text(command.summary)
    for specification in command.allParameters.map(\.specification) {
      page.request(".TP")
      switch specification.kind {
      case .flag: page.request(ManualText.bold("--\(specification.name)"))
      case .option:
        page.request(
          "\(ManualText.bold("--\(specification.name)")) \(ManualText.italic(specification.placeholder))")
      case .positional, .rest: page.request(ManualText.italic(specification.placeholder))
      }
      page.text(specification.help)
    }
    page.request(".TP")
    page.request(ManualText.bold("--help"))
    page.text("Prints this text.")
  }
}
