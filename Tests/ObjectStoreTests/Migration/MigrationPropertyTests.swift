import Foundation
import ObjectStore
import Testing

/// Random edits of random models: what the store holds afterwards is what plain edits of the graph give.
@Suite struct MigrationPropertyTests {
  @Test(arguments: 0..<120 as Range<UInt64>)
  func `a store that is migrated automatically holds what the edits of its model say`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try TemporaryStore(.random(using: &random))
    try populate(fixture.store, count: 4, using: &random)
    var edited = EditedModel(fixture.store.model, try PlainGraph(fixture.store))
    for _ in 0..<Int.random(in: 1...6, using: &random) { edited.edit(using: &random) }
    let model = try edited.model()
    edited.graph.normalize(model)

    let store = try PersistentStore(
      model: model, path: fixture.path, options: .init(access: .readWrite, migration: .automatic))

    let differences = try PlainGraph(store).differences(from: edited.graph)
    #expect(differences.isEmpty, "\(edited.history)\n\(differences.joined(separator: "\n"))")
    #expect(store.uuid == fixture.store.uuid)
    try fixture.check()
    try fixture.checkLayout(of: model)
  }
}

extension TemporaryStore {
  /// The tables are those of a store that is made anew for a model.
  func checkLayout(of model: ManagedObjectModel) throws {
    let fresh = try TemporaryStore(model)
    #expect(try tables() == fresh.tables())
    let findings = try StoreFile(path: path, model: model).findings()
    #expect(findings.isEmpty, "\(findings)")
  }

  private func tables() throws -> [String] {
    let connection = try store.newConnection()
    let statement = try connection.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
    var lines: [String] = []
    while try statement.step() {
      lines.append("\(statement.text(0)) \(statement.text(1)): \(statement.text(2))")
    }
    return lines
  }
}

extension StoreFile {
  func findings() throws -> [StoreFinding] {
    var findings: [StoreFinding] = []
    try verify { findings.append($0) }
    return findings.filter { $0.severity == .error }
  }
}
