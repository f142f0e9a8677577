import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// What the compiler says of classes that are declared wrongly: the first error is where the mistake is, and those that follow from
/// it lead there.
@Suite struct CompileErrorTests {
  /// The errors of one file, as `line: message`.
  private func errors(_ source: String) async throws -> [String] {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.url.appending(path: "Snippet.swift")
    try Data(("import ObjectStore\n" + source).utf8).write(to: file)
    let built = Checkout.program("Modules")
    let maps = ["CSQLite", "COpenSSL", "CZlib", "ThreadLocals/include"].map {
      Checkout.root.appending(path: "Modules/Support/\($0)/module.modulemap")
    }
    let own = Checkout.program("CTICDSThreadLocals.build").appending(path: "module.modulemap")
    var words = ["swiftc", "-typecheck", "-swift-version", "6", "-I", built.path]
    for map in maps + [own] where FileManager.default.fileExists(atPath: map.path) {
      words += ["-Xcc", "-fmodule-map-file=\(map.path)"]
    }
    let result = try await Subprocess(words + [file.path]).result()
    return result.errors.matches(of: /Snippet\.swift:(\d+):\d+: error: (.*)/).map {
      "\((Int($0.1) ?? 0) - 1): \($0.2)"
    }
  }

  private let reading = """

    func use(_ note: Note) {
      note.title = "x"
      print(note.title)
    }
    """

  @Test func `a class that is declared rightly compiles`() async throws {
    let errors = try await errors(
      "final class Note: ManagedObject { @Attribute(indexed: true) var title: String = \"\" }" + reading)
    #expect(errors == [])
  }

  @Test(arguments: [
    ("@Attribute(indexd: true) var title: String = \"\"", "indexd", "@Attribute"),
    ("@Attribute(validation: .longer(3)) var title: String = \"\"", "longer", "@Attribute"),
    ("@Attribute(indexed: \"yes\") var title: String = \"\"", "String", "@Attribute"),
    ("@ToMany(inverse: \\Note.nothing) var title: Set<Note>", "nothing", "@ToMany"),
    ("@ToOne(delete: .cascade) var title: Note?", "delete", "@ToOne"),
  ])
  func `a mistake in arguments is reported at the declaration, and uses of the property lead there`(
    declaration: String, mistake: String, wrapper: String
  ) async throws {
    let errors = try await errors("final class Note: ManagedObject { \(declaration) }" + reading)

    let first = try #require(errors.first)
    #expect(first.hasPrefix("1: ") && first.contains(mistake), "\(first)")
    for other in errors where other.contains("unavailable") {
      #expect(other.contains("a mistake at the declaration"), "\(other)")
      #expect(other.contains("arguments of \(wrapper)"), "\(other)")
    }
  }

  @Test func `an attribute of something that is no managed object is refused where it is declared`()
    async throws
  {
    let errors = try await errors("struct Plain { @Attribute var title: String = \"\" }")

    #expect(errors.count == 1)
    #expect(errors.first?.contains("subclasses of ManagedObject") == true)
  }
}
