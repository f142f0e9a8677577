import Foundation
import ProcessTesting
import Testing

@Suite struct DependencyTests {
  @Test func `every arrow between targets goes the way that the architecture allows`() async throws {
    let manifest = try await Manifest.load()
    #expect(try Rooms.load().violations(in: manifest.targets) == [])
  }

  /// Package managers refuse two modules of one name, and those of C cannot be renamed by who depends on them.
  @Test func `C libraries and their wrappers have names that no other package has`() async throws {
    let targets = try await Manifest.load().targets
    let libraries = Set(
      targets.filter { target in
        let folder = Checkout.root.appending(path: target.folder)
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return files.contains { $0.hasSuffix(".h") }
      }.map(\.name))
    let wrappers = targets.filter {
      $0.folder.hasPrefix("Modules/Support/") && !libraries.isDisjoint(with: $0.dependencyNames)
    }
    #expect(libraries.count >= 5)
    #expect(wrappers.count >= 4)
    for name in libraries { #expect(name.hasPrefix("CTICDS")) }
    for wrapper in wrappers { #expect(wrapper.name.hasPrefix("TICDS")) }
  }

  @Test func `no package from outside is used`() async throws {
    #expect(try await Manifest.load().dependencies.isEmpty)
  }

  @Test func `the rooms themselves have no way round in a circle`() throws {
    let rooms = try Rooms.load().rooms
    #expect(rooms.count > 8)
    var open = Dictionary(
      uniqueKeysWithValues: rooms.map { ($0.name, $0.mayDependOn.subtracting([$0.name])) })
    while let leaf = open.first(where: { $0.value.isEmpty })?.key {
      open[leaf] = nil
      open = open.mapValues { $0.subtracting([leaf]) }
    }
    #expect(open.keys.sorted() == [])
  }

  @Test func `every arrow of the drawing is in the table`() throws {
    let rooms = try Rooms.load().rooms
    let text = try String(contentsOf: Checkout.root.appending(path: "Docs/Architecture.md"), encoding: .utf8)
    let arrows = text.matches(of: /\n  (\w+) --> (\w+)/)
    #expect(arrows.count > 8)
    for arrow in arrows {
      let room = try #require(rooms.first { $0.name == arrow.1 })
      #expect(room.mayDependOn.contains(String(arrow.2)), "\(arrow.1) → \(arrow.2)")
    }
  }

  @Test func `an arrow against the direction is found`() throws {
    let json = """
      [{"name": "CTICDSSQLite", "type": "system", "path": "Modules/Support/CSQLite", "dependencies": []},
       {"name": "TICDSSQLite", "type": "regular", "path": "Modules/Support/SQLite",
        "dependencies": [{"byName": ["CTICDSSQLite", null]}]},
       {"name": "Crypto", "type": "regular", "path": "Modules/Crypto",
        "dependencies": [{"target": ["TICDSSQLite", null]}, {"byName": ["ObjectStore", null]}]},
       {"name": "ObjectStore", "type": "regular", "path": "Modules/ObjectStore", "dependencies": []},
       {"name": "Stray", "type": "regular", "path": "Elsewhere", "dependencies": []}]
      """
    let targets = try JSONDecoder().decode([Manifest.Target].self, from: Data(json.utf8))
    #expect(
      try Rooms.load().violations(in: targets) == [
        "Crypto (Crypto) must not depend on ObjectStore (ObjectStore)", "Stray (Elsewhere) is in no room",
      ])
  }
}
