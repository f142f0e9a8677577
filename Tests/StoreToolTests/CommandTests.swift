import Foundation
import SampleFiles
import Testing

/// The built tool on models and stores of the tests' own.
@Suite struct CommandTests {
  static let model = """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="v1">
      <entity name="Folder"><attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES"
          destinationEntity="Note" inverseName="folder" inverseEntity="Note"/></entity>
      <entity name="Note"><attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.50"/>
        <relationship name="folder" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder"
          inverseName="notes" inverseEntity="Folder"/></entity>
    </model>
    """

  private func tool() throws -> StoreTool {
    let tool = try StoreTool()
    try FileManager.default.createDirectory(
      atPath: tool.path("M.xcdatamodeld/M.xcdatamodel"), withIntermediateDirectories: true)
    try Data(Self.model.utf8).write(to: URL(filePath: tool.path("M.xcdatamodeld/M.xcdatamodel/contents")))
    return tool
  }

  @Test(arguments: ["sqlite", "binary"])
  func `an empty store is made for a model, and knows that model`(kind: String) async throws {
    let tool = try tool()
    defer { tool.remove() }

    let created = try await tool.run("create", tool.path("M.xcdatamodeld"), tool.path("store"), "--as", kind)
    let verified = try await tool.run("verify", tool.path("store"))
    let model = try await tool.run("hash", tool.path("M.xcdatamodeld"))
    let store = try await tool.run("hash", tool.path("store"))
    let info = try await tool.run("info", tool.path("store"))

    #expect(created.ending == .exited(0), "\(created.errors)")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    #expect(model.output == store.output)
    #expect(info.output.contains("hashes      are those of the model"))
    let again = try await tool.run("create", tool.path("M.xcdatamodeld"), tool.path("store"))
    #expect(again.ending == .exited(11))
  }

  @Test func `a model compiles to a bundle with all its versions, or to one file`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    let second = tool.path("M.xcdatamodeld/M 2.xcdatamodel")
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
    let newer = Self.model.replacing("attributeType=\"Decimal\"", with: "attributeType=\"Double\"")
    try Data(newer.utf8).write(to: URL(filePath: second + "/contents"))
    let current = try PropertyListEncoder().encode(["_XCCurrentVersionName": "M 2.xcdatamodel"])
    try current.write(to: URL(filePath: tool.path("M.xcdatamodeld/.xccurrentversion")))
    func hashes(_ name: String) async throws -> String { try await tool.run("hash", tool.path(name)).output }

    let bundle = try await tool.run("compile", tool.path("M.xcdatamodeld"), tool.path("C.momd"))
    let file = try await tool.run("compile", tool.path("M.xcdatamodeld"), tool.path("C.mom"))

    #expect(bundle.ending == .exited(0), "\(bundle.errors)")
    #expect(file.ending == .exited(0), "\(file.errors)")
    let wanted = try await hashes("M.xcdatamodeld/M 2.xcdatamodel")
    #expect(try await hashes("C.momd") == wanted)
    #expect(try await hashes("C.mom") == wanted)
    #expect(try await hashes("C.momd/M.mom") == hashes("M.xcdatamodeld/M.xcdatamodel"))
    let again = try await tool.run("compile", tool.path("M.xcdatamodeld"), tool.path("C.momd"))
    let elsewhere = try await tool.run("compile", tool.path("M.xcdatamodeld"), tool.path("C.model"))
    #expect(again.ending == .exited(11))
    #expect(elsewhere.ending == .exited(2))
  }

  @Test(
    arguments: [
      ("dump /nowhere/store", 5), ("hash /nowhere/model", 5), ("query x", 2), ("nonsense", 2),
      ("copy a b --as tape", 2), ("query a b --limit -1", 2),
    ] as [(String, Int32)])
  func `what cannot be done has its exit code and one sentence`(line: String, code: Int32) async throws {
    let tool = try tool()
    defer { tool.remove() }

    let result = try await tool.run(line.split(separator: " ").map(String.init))

    #expect(result.ending == .exited(code))
    #expect(result.output.isEmpty)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    "title", "name ==", "name == 'a", "name = x", "unknown == 1", "name > 5", "(name == 'a'", "notes == 1",
    "notes.name == 'a'", "name MATCHES '('", "name == 'a' name", "price == 'x'", "@count > 1", "name.x == 1",
    String(repeating: "(", count: 200) + "name == 'a'", "name + == 'a'", "1 + 'x' CONTAINS name",
    "nonsense(name) == 1",
    "SUBQUERY(notes, $n, name == 'a').@count == 1", "SUBQUERY(notes, $n, $n.price > 1) == 1",
    "SUBQUERY(name, $n, $n.price > 1).@count == 1", "notes.@sum.folder > 1", "ANY notes.price > price",
  ])
  func `a condition that says nothing is explained`(condition: String) async throws {
    let tool = try tool()
    defer { tool.remove() }
    _ = try await tool.run("create", tool.path("M.xcdatamodeld"), tool.path("store"))

    let result = try await tool.run("query", tool.path("store"), "Folder", "--where", condition)

    #expect([.exited(2), .exited(5)].contains(result.ending))
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `damage is found and named`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    _ = try await tool.run("create", tool.path("M.xcdatamodeld"), tool.path("store"))
    var bytes = try Data(contentsOf: URL(filePath: tool.path("store")))
    bytes.replaceSubrange(4_096..<8_192, with: Data(repeating: 0x5A, count: 4_096))
    try bytes.write(to: URL(filePath: tool.path("store")))

    let result = try await tool.run("verify", tool.path("store"))

    #expect([.exited(1), .exited(9)].contains(result.ending))
  }

  @Test func `a store that was cut short is refused with a sentence`() async throws {
    let tool = try tool()
    defer { tool.remove() }
    _ = try await tool.run("create", tool.path("M.xcdatamodeld"), tool.path("store"), "--as", "binary")
    let bytes = try Data(contentsOf: URL(filePath: tool.path("store")))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: tool.path("store")))

    let result = try await tool.run("dump", tool.path("store"))

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("offset"))
  }

  @Test(arguments: ["info", "dump", "verify"])
  func `a folder in the place of a store is said to be one`(_ command: String) async throws {
    let tool = try tool()
    defer { tool.remove() }
    let folder = tool.path("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)

    let result = try await tool.run(command, folder)

    #expect(result.ending == .exited(5), "\(result.errors)")
    #expect(result.errors.contains("is a folder, and no store"), "\(result.errors)")
  }
}
