import Foundation
import ObjectStore
import ProcessTesting
import SampleFiles
import Testing

/// The verb `generate`: the compiler takes what it makes, and the classes declare the model that they were made from.
@Suite struct GenerateTests {
  /// A program that prints the version hashes of the generated classes, in the form of `hash`, and then their model.
  private static let program = """
    import ObjectStore

    @main enum Program {
      static func main() throws {
        let model = try ManagedObjectModel.ofGeneratedClasses()
        for entity in model.entities {
          let digits = entity.versionHash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
          print(digits.joined() + "  " + entity.name)
        }
        print("model")
        print(model.xml)
      }
    }
    """

  /// Compiles all files of a folder together with the program, runs it, and returns what it prints.
  private func output(of folder: URL, _ tool: StoreTool) async throws -> String {
    try Data(Self.program.utf8).write(to: tool.folder.appending(path: "Program.swift"))
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let built = Checkout.program("Modules")
    let maps = ["CSQLite", "COpenSSL", "CZlib", "ThreadLocals/include"].map {
      Checkout.root.appending(path: "Modules/Support/\($0)/module.modulemap")
    }
    let own = Checkout.program("CTICDSThreadLocals.build").appending(path: "module.modulemap")
    var words = [
      "swiftc", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-Onone", "-module-name",
      "Generated",
      "-I", built.path, "-o", tool.path("program"),
    ]
    for map in maps + [own] where FileManager.default.fileExists(atPath: map.path) {
      words += ["-Xcc", "-fmodule-map-file=\(map.path)"]
    }
    words += sources.map { folder.appending(path: $0).path } + [tool.path("Program.swift")]
    let modules = [
      "ObjectStore", "ObjectModel", "CoreDataFormats", "Locking", "TICDSOpenSSL", "TICDSSQLite",
      "CTICDSThreadLocals", "XMLReading", "TICDSZlib",
    ]
    for module in modules {
      let parts = try FileManager.default.subpathsOfDirectory(
        atPath: Checkout.program("\(module).build").path)
      words += parts.filter { $0.hasSuffix(".o") }.sorted().map {
        Checkout.program("\(module).build").appending(path: $0).path
      }
    }
    words += ["-lsqlite3", "-lcrypto", "-lz"]
    let compiled = try await Subprocess(words).result()
    try #require(compiled.ending == .exited(0), "\(compiled.errors.prefix(4_000))")
    let run = try await Subprocess([tool.path("program")]).result()
    try #require(run.ending == .exited(0), "\(run.errors)")
    return run.output
  }

  private func hashes(_ output: String) -> [String] {
    output.split(separator: "\n").prefix { $0 != "model" }.map(String.init).sorted()
  }

  /// Everything that a model can say and Swift does not say the same way.
  private static func awkward() throws -> ManagedObjectModel {
    var preserved = AttributeDescription(
      "title", .string, isOptional: false, defaultValue: .string("a\"\\\n\u{202E}ä"))
    preserved.preservesValueOnDeletion = true
    return try ManagedObjectModel(
      entities: [
        EntityDeclaration(
          "Data", isAbstract: true,
          attributes: [
            preserved, .init("default", .integer16, defaultValue: .integer(-3)), .init("isDeleted", .boolean),
            .init("self", .string), .init("Type", .string),
            .init("x", .double, defaultValue: .double(.infinity)),
            .init("_x", .float, isOptional: false, defaultValue: .float(0.1)),
            .init(
              "amount", .decimal, isOptional: false,
              defaultValue: .decimal(Decimal(string: "12345678901234567.25") ?? 0)),
            .init("day", .date, defaultValue: .date(-0.5)),
            .init("bytes", .binary, defaultValue: .data([0, 255])),
            .init("key", .uuid, defaultValue: .uuid(UUID())),
            .init("link", .uri, isOptional: false, defaultValue: .uri("a:b")),
            .init("style", .transformable, transformerName: "Own"),
            .init("memory", .undefined, isTransient: true),
            .init("image", .binary, allowsExternalStorage: true),
            .init("noteCount", .integer64, derivation: "Set.@count"),
            .init(
              "size", .integer32, isIndexed: true,
              validation: .init(minimum: .integer(1), maximum: .integer(9)),
              renamingIdentifier: "extent", versionHashModifier: "2", userInfo: ["b": "\"", "a": ""]),
            .init("word", .string, validation: .init(minimumLength: 1, maximumLength: 9, pattern: "\\w+")),
          ],
          relationships: [
            .toMany(
              "Set", to: "Note", inverse: "class", isOrdered: true, deleteRule: .cascade, minimumCount: 1,
              maximumCount: 7),
            .init("other", to: "Data", inverse: "other", isToMany: false),
            .init("peers", to: "Data", inverse: "peers", isToMany: true, isOptional: false),
          ],
          uniquenessConstraints: [["title"], ["size", "word"]],
          indexes: [.init("both", on: ["size", "title"], descending: ["title"])],
          renamingIdentifier: "Old", versionHashModifier: "m", userInfo: ["k": "v"]),
        EntityDeclaration(
          "Memo", parent: "Data", attributes: [.init("extra", .string)], className: "App.CalledMemo"),
        EntityDeclaration(
          "Note",
          relationships: [
            .init(
              "class", to: "Data", inverse: "Set", isToMany: false, isOptional: false, deleteRule: .deny,
              minimumCount: 1),
            .toMany("tags", to: "Tag", inverse: "notes"), .toOne("lone", to: "Memo", deleteRule: .noAction),
          ]),
        EntityDeclaration(
          "Tag", relationships: [.toMany("notes", to: "Note", inverse: "tags", isOrdered: true)]),
      ], versionIdentifiers: ["v\"1"])
  }

  @Test func `classes declare all that a model says, with other names where Swift has use for them`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try Self.awkward()
    _ = try PersistentStore(model: model, path: tool.path("store"))

    let made = try await tool.run("generate", tool.path("store"), tool.path("first"))
    let again = try await tool.run("generate", tool.path("store"), tool.path("second"), "--public")
    let wanted = try await tool.run("hash", tool.path("store"))

    #expect(made.ending == .exited(0) && made.errors.isEmpty, "\(made.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: tool.path("first")).sorted()
    #expect(
      names == ["CalledMemo.swift", "DataObject.swift", "Model+Classes.swift", "Note.swift", "Tag.swift"])
    let output = try await output(of: tool.folder.appending(path: "first"), tool)
    #expect(hashes(output) == hashes(wanted.output))
    #expect(
      try await hashes(self.output(of: tool.folder.appending(path: "second"), tool)) == hashes(wanted.output))
    #expect(again.ending == .exited(0))
    // Beyond the hashes: defaults, rules, indexes, names of earlier versions and everything else that a model file keeps.
    let xml = try #require(output.split(separator: "model\n", maxSplits: 1).last)
    func plain(_ xml: String) -> [String] {
      xml.split(separator: "\n").map { String($0.replacing(#/ representedClassName="[^"]*"/#, with: "")) }
    }
    let before = try await tool.run("model", tool.path("store"), "--xml").output
    #expect(plain(String(xml)) == plain(before))
  }

  @Test func `the same model makes the same files, and what exists is replaced only if that is asked for`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    _ = try PersistentStore(model: Self.awkward(), path: tool.path("store"))
    func files(_ folder: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: tool.path(folder)).sorted().map {
        try String(contentsOfFile: tool.path("\(folder)/\($0)"), encoding: .utf8)
      }
    }

    let made = [
      try await tool.run("generate", tool.path("store"), tool.path("a")),
      try await tool.run("generate", tool.path("store"), tool.path("b")),
    ]
    let refused = try await tool.run("generate", tool.path("store"), tool.path("a"))
    try Data("// mine".utf8).write(to: URL(filePath: tool.path("a/Note+Own.swift")))
    let replaced = try await tool.run(
      "generate", tool.path("store"), tool.path("a"), "--overwrite", "--public")

    #expect(made.allSatisfy { $0.ending == .exited(0) })
    #expect(refused.ending == .exited(11) && replaced.ending == .exited(0))
    #expect(
      try files("a").contains("// mine") && files("a").contains { $0.contains("public final class Note") })
    #expect(try files("b").contains { $0.contains("\nfinal class Note: ManagedObject {") })
    #expect(
      try files("b").allSatisfy {
        $0.contains("from store.") && !$0.contains(tool.folder.path) || !$0.contains("Made by")
      })
    #expect(try await tool.run("generate", "/nowhere", tool.path("c")).ending == .exited(5))
  }

  static let models = [
    "models/apple_CoreDataBooks.elements", "models/xcake_CoreDataBooks_2.elements",
    "models/ddg_SyncMetadata_3.contents.xml",
    "models/ddg_BookmarksModel_4.contents.xml", "models/wire_zmessaging2.101.0.contents.xml",
    "models/ensembles_CDEMigratedTestsModel.contents.xml", "models/ensembles_CDEMigratedTestsModel.mom",
    "evidence/tripaccount_Model.elements", "evidence/ticoredatasync_Notebook.elements",
    "evidence/coredataplus_SampleModel2_V2.sqlite", "evidence/coredataplus_SampleModel_V2.sqlite",
    "evidence/plaso_DataUsage.sqlite", "sqlite/plaso_knowledgec-10.13.db", "sqlite/plaso_netusage.sqlite",
    "sqlite/plaso_Accounts3.sqlite", "sqlite/wire_store2-4.wiredatabase",
  ]

  @Test(.needsSamples, arguments: models)
  func `classes of a published model compile, and their version hashes are those of the model`(sample: String)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try tool.sample(sample)

    let made = try await tool.run("generate", model, tool.path("classes"))
    let wanted = try await tool.run("hash", model)

    #expect(made.ending == .exited(0) && made.errors.isEmpty, "\(made.errors)")
    try #require(!hashes(wanted.output).isEmpty)
    #expect(
      try await hashes(output(of: tool.folder.appending(path: "classes"), tool)) == hashes(wanted.output))
  }
}
