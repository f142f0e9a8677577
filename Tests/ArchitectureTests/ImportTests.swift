import Foundation
import ProcessTesting
import Testing

@Suite struct ImportTests {
  /// Modules that the toolchain and the system bring.
  static let toolchain: Set<String> = [
    "Darwin", "Dispatch", "Foundation", "Glibc", "Musl", "Swift", "Synchronization",
    "Testing",
  ]

  /// The modules that a source text imports.
  static func imports(in source: String) -> Set<String> {
    // Most lines are sorted out before the expression sees them, because it is slow in a debug build.
    let lines = source.split(separator: "\n").filter { $0.contains("import ") }
    let pattern =
      /\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)(?:\.\w+)*\s*(?:\/\/.*)?/
    return Set(lines.compactMap { $0.wholeMatch(of: pattern).map { String($0.1) } })
  }

  static func sources(of target: Manifest.Target, others: [Manifest.Target]) -> [URL] {
    let folder = Checkout.root.appending(path: target.folder)
    let inner = others.map(\.folder).filter { $0.hasPrefix(target.folder + "/") }
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { file in
      file.pathExtension == "swift"
        && !inner.contains { file.path.hasPrefix(Checkout.root.appending(path: $0).path + "/") }
    }
  }

  @Test func `a target imports what it declares, and declares what it imports`() async throws {
    let targets = try await Manifest.load().targets
    let programs = Set(targets.filter { $0.type == "executable" }.map(\.name))
    var findings: [String] = []
    for target in targets where target.type != "system" {
      var imported: Set<String> = []
      for file in Self.sources(of: target, others: targets) {
        let modules = Self.imports(in: try String(contentsOf: file, encoding: .utf8))
        imported.formUnion(modules)
        let undeclared = modules.subtracting(Self.toolchain).subtracting(target.dependencyNames)
        findings += undeclared.sorted().map { "\(file.lastPathComponent) of \(target.name) imports \($0)" }
      }
      // A test declares a program to have it built, not to import it.
      let unused = Set(target.dependencyNames).subtracting(imported).subtracting(programs)
      findings += unused.sorted().map { "\(target.name) declares \($0) and does not import it" }
    }
    #expect(findings == [])
  }

  @Test func `all forms of an import line are recognised`() {
    let source = [
      "import A", "@testable import B", "public import C", "  import struct D.E", "@_spi(Testing) import F",
      "@preconcurrency internal import G", "// import H", "let text = \"import I\"",
    ].joined(separator: "\n")
    #expect(Self.imports(in: source) == ["A", "B", "C", "D", "F", "G"])
  }
}
