import ObjectStore
import Testing

/// Names that something else had in an earlier version.
@Suite struct ReusedNameTests {
  private typealias Names = (name: String, identifier: String?)

  /// What the attributes of a later version show, where each of an earlier one holds its own name.
  private func migrated(_ earlier: [Names], to later: [Names]) throws -> [String: String] {
    func entity(_ attributes: [Names], _ version: String) -> EntityDeclaration {
      EntityDeclaration(
        "Person",
        attributes: attributes.map {
          AttributeDescription($0.name, .string, renamingIdentifier: $0.identifier)
        }, versionHashModifier: version)
    }
    let fixture = try TemporaryStore(ManagedObjectModel(entities: [entity(earlier, "1")]))
    let context = try fixture.store.newContext()
    let person = try context.insert(entity: "Person")
    for (name, _) in earlier { person[name] = .string(name) }
    try context.save()
    let store = try PersistentStore(
      model: ManagedObjectModel(entities: [entity(later, "2")]), path: fixture.path,
      options: .init(migration: .automatic))
    let object = try PlainGraph(store).objects.values.first
    return (object?.values ?? [:]).compactMapValues { if case .string(let text) = $0 { text } else { nil } }
  }

  @Test func `what keeps name and identifier is what it was, and a new name with an identifier is another`()
    throws
  {
    // The second attribute named `a` was renamed, too.
    let values = try migrated([("b", "a"), ("a", nil)], to: [("b", "a"), ("c", "a")])

    #expect(values == ["b": "b", "c": "a"])
  }

  @Test func `a name that is in use again stays, and the one that had it before may change its name again`()
    throws
  {
    for earlier in [[("b", "a"), ("a", nil)], [("a", nil), ("b", "a")]] as [[Names]] {
      let values = try migrated(earlier, to: [("a", nil), ("c", "a")])

      #expect(values == ["a": "a", "c": "b"])
    }
  }

  @Test func `renaming identifiers that are the names in the version before tell a chain`() throws {
    let values = try migrated([("b", "a"), ("a", nil)], to: [("d", "a"), ("e", "b")])

    #expect(values == ["d": "a", "e": "b"])
  }

  @Test func `two attributes that exchange their names twice have their values`() throws {
    let values = try migrated([("a", "b"), ("b", "a")], to: [("a", nil), ("b", nil)])

    #expect(values == ["a": "b", "b": "a"])
  }

  @Test(
    arguments: [
      [("c", "a")], [("b", "a"), ("d", "b")], [("c", "a"), ("d", "a"), ("e", "a")],
    ] as [[(String, String?)]])
  func `what may have been one of two is refused with a line that names both`(later: [(String, String?)])
    throws
  {
    let error = #expect(throws: StoreError.self) {
      try migrated([("b", "a"), ("a", nil)], to: later.map { (name: $0.0, identifier: $0.1) })
    }

    guard case .cannotInfer(let lines)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(lines.allSatisfy { $0.contains("renaming identifier") }, "\(lines)")
    #expect(!lines.isEmpty)
  }

  @Test func `two that both say that they were the same are refused`() throws {
    let error = #expect(throws: StoreError.self) {
      try migrated([("a", nil)], to: [("b", "a"), ("c", "a")])
    }

    #expect(error?.description.contains("Person.b") == true)
    #expect(error?.description.contains("Person.c") == true)
  }

  @Test func `an entity may have the name that another one had before`() throws {
    let fixture = try TemporaryStore(
      ManagedObjectModel(entities: [EntityDeclaration("A", attributes: [.init("x", .string)])]))
    let context = try fixture.store.newContext()
    try context.insert(entity: "A")["x"] = .string("one")
    try context.save()

    let store = try PersistentStore(
      model: ManagedObjectModel(entities: [
        EntityDeclaration("A", attributes: [.init("x", .string)]),
        EntityDeclaration("B", attributes: [.init("x", .string)], renamingIdentifier: "A"),
      ]), path: fixture.path, options: .init(migration: .automatic))

    let objects = try PlainGraph(store).objects
    #expect(objects.keys.map(\.entity) == ["B"])
    #expect(objects.values.map(\.values) == [["x": .string("one")]])
  }

  // MARK: - Chains

  /// By entity the values of its object, after a migration from the first version to the last.
  private func migrated(_ versions: RenamedVersions, by between: [ManagedObjectModel]) throws
    -> [String: [String: AttributeValue]]
  {
    let fixture = try TemporaryStore(versions.model(0))
    try versions.fill(fixture.store)
    let store = try PersistentStore(
      model: versions.model(2), path: fixture.path, options: .init(migration: Migration(from: between)))
    return Dictionary(
      uniqueKeysWithValues: try PlainGraph(store).objects.map { ($0.key.entity, $0.value.values) })
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `with identifiers of their own all have their values, by way of the version in between and without it`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let versions = RenamedVersions(count: 3, identifiesReuse: true, using: &random)

    for between in [[], try [versions.model(0), versions.model(1)]] {
      let values = try migrated(versions, by: between)

      #expect(values == versions.expected(2), "\(versions.versions)")
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `without them a migration is right or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let versions = RenamedVersions(count: 3, identifiesReuse: false, using: &random)

    for between in [[], try [versions.model(0), versions.model(1)]] {
      do {
        let values = try migrated(versions, by: between)
        #expect(values == versions.expected(2), "\(versions.versions)")
      } catch let error as StoreError {
        guard case .cannotInfer(let lines) = error.reason else { throw error }
        #expect(lines.allSatisfy { $0.contains("renaming identifier") }, "\(lines)")
      }
    }
  }
}
