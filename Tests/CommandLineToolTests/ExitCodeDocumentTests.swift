import CommandLineTool
import Foundation
import ProcessTesting
import Testing

@Suite struct ExitCodeDocumentTests {
  @Test func `the page of exit codes says what the table in the code says`() throws {
    let page = try String(contentsOf: Checkout.root.appending(path: "Docs/ExitCodes.md"), encoding: .utf8)
    let rows = page.matches(of: /(?m)^\| (\d+) \| \w+ \| (.*) \|$/).map { "\($0.1) \($0.2)" }
    #expect(rows == ToolStatus.table.map { "\($0.status.rawValue) \($0.meaning)" })
  }
}
