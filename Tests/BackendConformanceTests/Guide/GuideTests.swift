import BackendConformance
import Foundation
import ProcessTesting
import Testing

@Suite struct GuideTests {
  @Test(arguments: ["SQLiteBackend.swift", "SQLiteBackendTests.swift"])
  func `the guide holds the back end and the tests that are compiled here`(_ file: String) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: file)
    #expect(try guide().contains("```swift\n\(String(contentsOf: source, encoding: .utf8))```"))
  }

  @Test func `whatever the tests of the guide import is in a product`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "SQLiteBackendTests.swift")
    let imports = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("import ") }.map { String($0.dropFirst(7)) }
    let manifest = try String(contentsOf: Checkout.root.appending(path: "Package.swift"), encoding: .utf8)
    for module in imports where !["Foundation", "Testing"].contains(module) {
      #expect(manifest.contains(".library(name: \"\(module)\""), "\(module) is in no product")
    }
  }

  @Test func `the guide holds every signature of the protocol`() throws {
    let file = Checkout.root.appending(path: "Modules/SyncProtocol/Backend/SyncBackend.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(source.range(of: "public protocol SyncBackend"))
    let end = try #require(source[start.lowerBound...].range(of: "\n}\n"))
    let signatures = source[start.lowerBound..<end.upperBound].split(separator: "\n")
      .filter { !$0.contains("///") }.joined(separator: "\n")
    #expect(try guide().contains("```swift\n\(signatures)\n```"), "\(signatures)")
  }

  @Test func `the guide holds all that describes storage to the suite`() throws {
    let file = Checkout.root.appending(path: "Backends/BackendConformance/ConformanceStorage.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(source.range(of: "  public init(\n"))
    let end = try #require(source[start.upperBound...].range(of: "\n  ) {"))
    let parameters = source[start.upperBound..<end.lowerBound].replacing("\n", with: " ").split(
      separator: ", ")
    #expect(parameters.count > 5)
    let guide = try guide()
    for parameter in parameters { #expect(guide.contains(parameter.trimmingPrefix { $0 == " " })) }
  }

  private func guide() throws -> String {
    try String(
      contentsOf: Checkout.root.appending(path: "Docs/Guides/BackendAuthors.md"), encoding: .utf8)
  }
}
