import Foundation
import ObjectStore
import SampleFiles
import Testing

/// Every sampled store, opened as an application opens its own: objects, values and relationships through contexts.
@Suite(.needsSamples) struct SampleContextTests {
  private static func open(_ sample: SampleStore) throws -> PersistentStore {
    let file = try StoreFile(path: sample.file.path)
    var options = PersistentStore.Options(access: .readWrite)
    options.checksVersionHashes = file.modelOrigin != .derived
    return try PersistentStore(model: file.model, path: sample.file.path, options: options)
  }

  /// All objects as contexts show them.
  private static func graph(_ store: PersistentStore) throws -> PlainGraph {
    let context = try store.newContext()
    var graph = PlainGraph()
    for entity in store.model.entities {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity.name))
      where object.entity.name == entity.name {
        graph.objects[reference(object)] = plain(object)
      }
    }
    return graph
  }

  private static func reference(_ object: ManagedObject) -> PlainGraph.Reference {
    .init(entity: object.entity.name, key: object.objectID.key)
  }

  private static func plain(_ object: ManagedObject) -> PlainGraph.Object {
    var plain = PlainGraph.Object()
    for (index, property) in object.entity.properties.enumerated() where !property.isTransient {
      guard let relationship = property.asRelationship else {
        plain.values[property.name] = object.value(at: index)
        continue
      }
      let members =
        relationship.isToMany ? object.members(at: index) : object.target(at: index).map { [$0] } ?? []
      let references = members.map(reference)
      plain.related[property.name] =
        relationship.isOrdered ? references : references.sorted { "\($0)" < "\($1)" }
    }
    return plain
  }

  /// What a whole-store reader shows, but for values of which the file is missing: contexts have none there.
  private static func stored(_ store: PersistentStore) throws -> PlainGraph {
    var graph = try PlainGraph(store)
    for stored in try StoreRows(store).allObjects() {
      let entity = store.model.entities[stored.reference.entity]
      for index in stored.missingFiles.indices {
        graph.objects[.init(entity: entity.name, key: stored.reference.key)]?
          .values[entity.properties[index].name] = .null
      }
    }
    return graph
  }

  @Test(arguments: SampleStore.names)
  func `contexts show the same objects, values and relationships as the whole-store reader`(name: String)
    throws
  {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let store = try Self.open(sample)

    let differences = try Self.graph(store).differences(from: Self.stored(store))

    // Not printed whole: the values are somebody's.
    #expect(differences.isEmpty, "\(differences.prefix(5).map { $0.prefix(60) })")
  }

  @Test(arguments: SampleStore.names)
  func `a store that is built anew through a context holds the same`(name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let original = try Self.open(sample)
    let wanted = try Self.graph(original)
    let copy = try PersistentStore(
      model: original.model, path: sample.folder.appending(path: "copy.sqlite").path)
    let context = try copy.newContext()

    var objects: [PlainGraph.Reference: ManagedObject] = [:]
    for (reference, plain) in wanted.objects {
      let object = try context.insert(entity: reference.entity)
      for (name, value) in plain.values { object[name] = value }
      objects[reference] = object
    }
    for (reference, plain) in wanted.objects {
      let object = try #require(objects[reference])
      for (name, members) in plain.related {
        let index = try #require(object.entity.index(of: name))
        let targets = members.compactMap { objects[$0] }
        if object.entity.relationship(at: index)?.isToMany == true {
          object.setMembers(targets, name)
        } else {
          object.setTarget(targets.first, at: index)
        }
      }
    }
    try context.save()

    var expected = PlainGraph()
    func renamed(_ reference: PlainGraph.Reference) -> PlainGraph.Reference {
      objects[reference].map(Self.reference) ?? reference
    }
    for (reference, plain) in wanted.objects {
      var plain = plain
      plain.related = plain.related.mapValues { $0.map(renamed) }
      expected.objects[renamed(reference)] = plain
    }
    expected.normalize(copy.model)
    let differences = try Self.graph(copy).differences(from: expected)
    #expect(differences.isEmpty, "\(differences.prefix(5).map { $0.prefix(80) })")
    #expect(try StoreFile(path: copy.path).findings().isEmpty)
  }

  @Test(arguments: SampleStore.names)
  func `a wrong model is refused, entity by entity`(name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let store = try Self.open(sample)
    // Stores of old frameworks do not keep their model, so that only names are known; their hashes say so.
    guard try StoreFile(path: sample.file.path).modelOrigin == .cache else { return }
    var declarations = store.model.entities.map { EntityDeclaration(of: $0) }
    let root = try #require(declarations.firstIndex { $0.parent == nil })
    declarations[root].properties.append(.attribute(.init("added", .string)))
    declarations.append(EntityDeclaration("Newcomer"))
    let model = try ManagedObjectModel(entities: declarations)

    let error = #expect(throws: StoreError.self) {
      try PersistentStore(model: model, path: sample.file.path, options: .init(access: .readOnly))
    }

    guard case .modelMismatch(let lines)? = error?.reason else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(lines.contains("\(declarations[root].name): differs from that in the store"))
    #expect(lines.contains("Newcomer: is not in the store"))
    let family = try #require(model.entity(named: declarations[root].name)).familyIndices.count
    #expect(lines.count == family + 1)
  }

  @Test(arguments: SampleStore.names)
  func `a sample takes a new version of its model`(name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    guard try StoreFile(path: sample.file.path).modelOrigin == .cache else { return }
    let store = try Self.open(sample)
    let before = try PlainGraph(store)
    var declarations = store.model.entities.map { EntityDeclaration(of: $0) }
    for index in declarations.indices where declarations[index].parent == nil {
      declarations[index].properties.append(
        .attribute(.init("ticdsAdded", .string, defaultValue: .string("new"))))
    }
    declarations.append(EntityDeclaration("Aaa"))

    let migrated = try PersistentStore(
      model: ManagedObjectModel(entities: declarations), path: sample.file.path,
      options: .init(access: .readWrite, migration: .automatic))

    var expected = before
    for reference in expected.objects.keys {
      expected.objects[reference]?.values["ticdsAdded"] = .string("new")
    }
    let differences = try PlainGraph(migrated).differences(from: expected)
    #expect(differences.isEmpty, "\(differences.prefix(5).map { $0.prefix(60) })")
  }
}
