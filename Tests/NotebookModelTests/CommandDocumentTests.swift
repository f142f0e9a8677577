import Foundation
import ProcessTesting
import RemoteAccess
import Testing

@testable import CommandLineTool
@testable import NotebookModel

/// `Docs/Tools/notebook.md` against what the program declares.
@Suite struct CommandDocumentTests {
  private let text: String

  init() throws {
    text = try String(
      contentsOf: Checkout.root.appending(path: "Docs/Tools/notebook.md"), encoding: .utf8)
  }

  /// The line of a verb in the synopsis, with what stands for several options.
  private func synopsis(_ verb: String) -> String? {
    let connection = RemoteConnection.parameters.map(\.specification.usage).joined(separator: " ")
    return text.split(separator: "\n").first { $0.hasPrefix("notebook \(verb) ") }
      .map { String($0).replacing("CONNECTION", with: connection) }
  }

  @Test(arguments: NotebookTool.tool.commands.map(\.name))
  func `the synopsis names each option of a verb and no other`(verb: String) throws {
    let command = try #require(NotebookTool.tool.commands.first { $0.name == verb })
    let line = try #require(synopsis(verb), "there is no line for \(verb)")
    let written = Set(line.matches(of: /--([a-z-]+)/).map { String($0.1) })
    let declared = command.parameters.map(\.specification)
    #expect(written == Set(declared.filter(\.isOption).map(\.name)))
    for word in declared where !word.isOption { #expect(line.contains(" \(word.name)")) }
  }

  @Test(arguments: NotebookTool.tool.commands.map(\.name))
  func `each verb takes JSON, and the document says which`(verb: String) throws {
    let command = try #require(NotebookTool.tool.commands.first { $0.name == verb })
    #expect(command.parameters.contains { $0.specification.name == "json" })
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(rows.contains { $0.contains("`\(verb) --json`") })
  }
}
