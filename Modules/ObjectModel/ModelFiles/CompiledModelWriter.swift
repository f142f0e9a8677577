import CoreDataFormats

/// Writes a model as Core Data's compiler and its model caches do: as a keyed archive of an `NSManagedObjectModel`.
///
/// Classes, keys and bits are those of published `.mom` files and model caches of recent frameworks. As there, an entity of a file
/// lists the properties that it declares, and one of a cache all that it has, each described anew.
struct CompiledModelWriter {
  typealias Reference = KeyedArchiveWriter.Reference

  /// What the entities are gathered in: compiled files have an ordinary dictionary, caches one whose keys are known.
  enum Form {
    case file
    case cache
  }

  let model: ManagedObjectModel
  private let form: Form
  var writer: KeyedArchiveWriter
  private let root: Reference
  /// The descriptions of entities, and of each entity's properties: everything refers to them before they are complete.
  let entities: [Reference]
  let properties: [[Reference]]

  private init(_ model: ManagedObjectModel, as form: Form) {
    self.model = model
    self.form = form
    var writer = KeyedArchiveWriter()
    root = writer.declare()
    var entities: [Reference] = []
    var properties: [[Reference]] = []
    for entity in model.entities {
      entities.append(writer.declare())
      properties.append(
        entity.properties.map { property in
          guard form == .file, let parent = entity.parent, let inherited = parent.index(of: property.name)
          else {
            return writer.declare()
          }
          return properties[parent.index][inherited]
        })
    }
    self.entities = entities
    self.properties = properties
    self.writer = writer
  }

  static func archive(of model: ManagedObjectModel, as form: Form) -> [UInt8] {
    var writer = CompiledModelWriter(model, as: form)
    writer.defineModel()
    for entity in model.entities { writer.define(entity) }
    return writer.writer.encode(roots: ["root": writer.root])
  }

  private mutating func defineModel() {
    let sorted = model.entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let names = sorted.map(\.name)
    let descriptions = sorted.map { entities[$0.index] }
    let list =
      switch form {
      case .file: dictionary(names, descriptions)
      case .cache: knownKeysDictionary(names, descriptions)
      }
    let versions = model.versionIdentifiers.map { text($0) }
    writer.define(
      root, ["NSManagedObjectModel"],
      [
        "NSEntities": .uid(list), "NSFetchRequestTemplates": .uid(KeyedArchiveWriter.nothing),
        "NSVersionIdentifiers": .uid(collection(["NSSet"], versions)),
      ])
  }

  private mutating func define(_ entity: EntityDescription) {
    let listed = entity.properties.indices.filter { index in
      form == .cache || entity.ownPropertyNames.contains(entity.properties[index].name)
    }
    for index in listed {
      switch entity.properties[index] {
      case .attribute(let attribute): define(attribute, at: index, of: entity)
      case .relationship(let relationship): define(relationship, at: index, of: entity)
      }
    }
    let children = entity.subentityIndices.map { model.entities[$0] }
    var fields: [String: PropertyList] = [
      "NSEntityName": .uid(text(entity.name)), "NSClassNameForEntity": .uid(text(entity.className)),
      "NSRenamingIdentifier": .uid(text(entity.renamingIdentifier ?? entity.name)),
      "NSVersionHashModifier": .uid(text(entity.versionHashModifier)),
      "NSUserInfo": .uid(writer.add(userInfo(entity.userInfo))), "NSManagedObjectModel": .uid(root),
      "NSSuperentity": .uid(entity.parent.map { entities[$0.index] } ?? KeyedArchiveWriter.nothing),
      "NSSubentities": .uid(dictionary(children.map(\.name), children.map { entities[$0.index] })),
      "NSProperties": .uid(
        dictionary(listed.map { entity.properties[$0].name }, listed.map { properties[entity.index][$0] })),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.ownUniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = .uid(lists(entity.ownUniquenessConstraints))
    }
    let indexes = fetchIndexes(of: entity)
    if !indexes.isEmpty {
      let references = indexes.map { fetchIndex($0, of: entity) }
      fields["NSFetchIndexDescriptions"] = .uid(collection(Self.mutableArray, references))
      fields["NSCompoundIndexes"] = .uid(lists(indexes.map(\.properties).filter { $0.count > 1 }))
    }
    writer.define(entities[entity.index], ["NSEntityDescription"], fields)
  }

  // MARK: Indexes

  /// The indexes of an entity; an attribute that is marked as indexed has one with its name.
  private func fetchIndexes(of entity: EntityDescription) -> [IndexDescription] {
    let marked = entity.properties.filter {
      $0.asAttribute?.isIndexed == true && entity.ownPropertyNames.contains($0.name)
    }
    return marked.map { IndexDescription($0.name, on: [$0.name]) } + entity.indexes
  }

  private mutating func fetchIndex(_ index: IndexDescription, of entity: EntityDescription) -> Reference {
    let description = writer.declare()
    let elements = index.properties.map { name in
      writer.add(
        ["NSFetchIndexElementDescription"],
        [
          "NSPropertyName": .uid(text(name)), "NSFetchIndexElementType": .integer(0),
          "NSAscending": .boolean(!index.descending.contains(name)),
          "NSFetchIndexDescription": .uid(description),
        ])
    }
    writer.define(
      description, ["NSFetchIndexDescription"],
      [
        "NSIndexName": .uid(text(index.name)), "NSEntity": .uid(entities[entity.index]),
        "NSPartialIndexPredicate": .uid(KeyedArchiveWriter.nothing),
        "NSIndexElements": .uid(collection(["NSArray"], elements)),
      ])
    return description
  }
}

// MARK: - Parts of archives

extension CompiledModelWriter {
  private static let mutableArray = ["NSMutableArray", "NSArray"]
  private static let mutableDictionary = ["NSMutableDictionary", "NSDictionary"]

  mutating func text(_ text: String?) -> Reference {
    text.map { writer.add(.string($0)) } ?? KeyedArchiveWriter.nothing
  }

  func userInfo(_ pairs: [String: String]) -> ArchivedObject {
    .dictionary(
      Dictionary(uniqueKeysWithValues: pairs.map { (ArchivedObject.string($0), ArchivedObject.string($1)) }))
  }

  mutating func collection(_ classes: [String], _ elements: [Reference]) -> Reference {
    writer.add(classes, ["NS.objects": .array(elements.map { .uid($0) })])
  }

  private mutating func lists(_ lists: [[String]]) -> Reference {
    let references = lists.map { list in collection(Self.mutableArray, list.map { text($0) }) }
    return collection(Self.mutableArray, references)
  }

  private mutating func dictionary(_ keys: [String], _ values: [Reference]) -> Reference {
    writer.add(
      Self.mutableDictionary,
      [
        "NS.keys": .array(keys.map { .uid(text($0)) }), "NS.objects": .array(values.map { .uid($0) }),
      ])
  }

  /// A dictionary that finds its values by the place of their keys in a list.
  private mutating func knownKeysDictionary(_ keys: [String], _ values: [Reference]) -> Reference {
    let mapping = writer.add(
      ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy"],
      [
        "version": .integer(1), "length": .integer(Int64(keys.count)),
        "keys": .uid(collection(["NSArray"], keys.map { text($0) })),
      ])
    return writer.add(
      ["NSKnownKeysDictionary1", "NSKnownKeysDictionary"] + Self.mutableDictionary,
      [
        "version": .integer(1), "searchMapping": .uid(mapping),
        "emptyToken": .uid(text("__empty_slot_token_4c24_98dc_ac1e_b773__")),
        "values": .uid(collection(["NSArray"], values)),
      ])
  }
}
