import ObjectStore

/// Versions of a model whose entities and attributes get other names, and names that others had, at random.
///
/// What stands for the same in all versions has one number. Names are used again only while the one that had them first is there, and
/// what is new under such a name has a renaming identifier of its own where `identifiesReuse` says so.
struct RenamedVersions {
  struct Named {
    let number: Int
    var name: String
    var identifier: String?
    /// Whether the name was this one's alone all the time.
    var isPlain = true
  }

  struct Entity {
    var named: Named
    var attributes: [Named]
  }

  let identifiesReuse: Bool
  private(set) var versions: [[Entity]] = []
  private var numbers = 0

  init(count: Int, identifiesReuse: Bool, using random: inout SeededGenerator) {
    self.identifiesReuse = identifiesReuse
    var entities = (0..<Int.random(in: 1...3, using: &random)).map { _ in newEntity() }
    versions.append(entities)
    for _ in 1..<count {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if Bool.random(using: &random) {
          var list = entities.map(\.named)
          edit(&list, using: &random)
          entities = list.map { named in
            entities.first { $0.named.number == named.number }.map {
              Entity(named: named, attributes: $0.attributes)
            }
              ?? Entity(named: named, attributes: [newNamed()])
          }
        } else if let index = entities.indices.randomElement(using: &random) {
          edit(&entities[index].attributes, using: &random)
        }
      }
      entities.shuffle(using: &random)
      for index in entities.indices { entities[index].attributes.shuffle(using: &random) }
      versions.append(entities)
    }
  }

  private mutating func newNamed() -> Named {
    numbers += 1
    return Named(number: numbers, name: "N\(numbers)")
  }

  private mutating func newEntity() -> Entity {
    Entity(named: newNamed(), attributes: [newNamed(), newNamed()])
  }

  private mutating func edit(_ list: inout [Named], using random: inout SeededGenerator) {
    // Names of the first that had them, which bear another now.
    let left = list.compactMap { $0.identifier }.filter { name in
      name.hasPrefix("N") && !list.contains { $0.name == name }
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0, 1:
      guard let index = list.indices.randomElement(using: &random) else { return }
      numbers += 1
      let other = left.filter { $0 != list[index].identifier }.randomElement(using: &random)
      let name = Bool.random(using: &random) ? other ?? "N\(numbers)" : "N\(numbers)"
      list[index].identifier = list[index].identifier ?? list[index].name
      list[index].name = name
      list[index].isPlain = false
    case 2:
      var new = newNamed()
      if let name = left.randomElement(using: &random) {
        if identifiesReuse { new.identifier = "new\(numbers)" }
        new.name = name
        new.isPlain = false
      }
      list.append(new)
    default:
      guard list.count > 1,
        let index = list.indices.filter({ list[$0].isPlain }).randomElement(using: &random)
      else { return }
      list.remove(at: index)
    }
  }

  /// One version. The modifier makes it a version of its own also where names are exchanged.
  func model(_ version: Int) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: versions[version].map { entity in
        EntityDeclaration(
          entity.named.name,
          attributes: entity.attributes.map {
            AttributeDescription(
              $0.name, .integer64, renamingIdentifier: $0.identifier, versionHashModifier: "\(version)")
          }, renamingIdentifier: entity.named.identifier, versionHashModifier: "\(version)")
      })
  }

  /// An object of each entity of the first version; the value of each attribute is its number.
  func fill(_ store: PersistentStore) throws {
    let context = try store.newContext()
    for entity in versions[0] {
      let object = try context.insert(entity: entity.named.name)
      for attribute in entity.attributes { object[attribute.name] = .integer(Int64(attribute.number)) }
    }
    try context.save()
  }

  /// What a version shows of that: by entity the values of its object, by attribute.
  func expected(_ version: Int) -> [String: [String: AttributeValue]] {
    var graph: [String: [String: AttributeValue]] = [:]
    for entity in versions[version] {
      // What goes and comes back is something else.
      let wasThere = versions[...version].allSatisfy {
        $0.contains { $0.named.number == entity.named.number }
      }
      guard wasThere else { continue }
      let first = versions[0].first { $0.named.number == entity.named.number }
      graph[entity.named.name] = Dictionary(
        uniqueKeysWithValues: entity.attributes.map { attribute in
          let isFirst = first?.attributes.contains { $0.number == attribute.number } ?? false
          return (attribute.name, isFirst ? .integer(Int64(attribute.number)) : .null)
        })
    }
    return graph
  }
}
