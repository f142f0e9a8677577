import ChangeTracking
import ObjectStore

/// A model that is drawn from a seed: entities that inherit from each other, with properties of the kinds that a run's families
/// allow.
///
/// Names tell what they are: entities `A`, `A1`, `A11` inherit from left to right, attributes are lower-case names of their
/// entity with a number, relationships are numbered through the model.
struct DrawnModel: Sendable {
  var declarations: [EntityDeclaration] = []
  let features: Features

  init(features: Features, using random: inout SeededRandomSource) {
    self.features = features
    for name in ["A", "B", "C", "D"].prefix(Int.random(in: 2...4, using: &random)) {
      addFamily(name, using: &random)
    }
    if features.has(.inheritedConstraints) { constrainInherited(using: &random) }
    for number in 0..<Int.random(in: 2...7, using: &random) { addRelationship(number, using: &random) }
  }

  func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities: declarations) }

  // MARK: Inheritance

  func declaration(_ name: String) -> EntityDeclaration? { declarations.first { $0.name == name } }

  /// Whether other entities inherit from an entity.
  func isParent(_ name: String) -> Bool { declarations.contains { $0.parent == name } }

  private mutating func addFamily(_ root: String, using random: inout SeededRandomSource) {
    add(root, parent: nil, using: &random)
    guard features.has(.inheritance), !random.oneIn(3) else { return }
    var names = [root]
    for number in 1...Int.random(in: 1...3, using: &random) {
      let parent = names.randomElement(using: &random) ?? root
      let name = parent + "\(number)"
      add(name, parent: parent, using: &random)
      names.append(name)
    }
    for index in declarations.indices where isParent(declarations[index].name) && random.oneIn(3) {
      declarations[index].isAbstract = true
    }
    if features.has(.siblingKeys), let key = declaration(root)?.naturalKey {
      for index in declarations.indices where names.contains(declarations[index].name) {
        declarations[index].userInfo[SyncModelKey.naturalKey] = key
      }
    }
  }

  private mutating func add(_ name: String, parent: String?, using random: inout SeededRandomSource) {
    var entity = EntityDeclaration(name, parent: parent)
    if parent == nil {
      entity.properties.append(
        .attribute(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)))
    }
    // Siblings have different numbers of properties, so that one and the same inherited relationship has different positions.
    for number in 0..<Int.random(in: parent == nil ? 1...4 : 0...3, using: &random) {
      let attribute = attribute("\(name.lowercased())x\(number)", using: &random)
      entity.properties.append(.attribute(attribute))
    }
    let mayHaveKey = features.has(.naturalKeys) || features.has(.siblingKeys)
    let hasKey = mayHaveKey && parent == nil && random.oneIn(2)
    if features.has(.merges), !hasKey || features.has(.foldedKeys) { addMerges(to: &entity, using: &random) }
    if hasKey {
      let key = "\(name.lowercased())key"
      let type = features.has(.otherKeyTypes) ? Self.keyTypes.randomElement(using: &random) : nil
      entity.properties.append(.attribute(AttributeDescription(key, type ?? .string)))
      entity.userInfo[SyncModelKey.naturalKey] = key
    }
    if features.has(.unique), random.oneIn(2) {
      let key = "\(name.lowercased())unique"
      entity.properties.append(
        .attribute(AttributeDescription(key, random.oneIn(2) ? .string : .integer64)))
      entity.uniquenessConstraints = [[key]]
      if features.has(.compoundUnique), random.oneIn(2) {
        let other = key + "also"
        entity.properties.append(
          .attribute(AttributeDescription(other, random.oneIn(2) ? .string : .integer64)))
        entity.uniquenessConstraints = [[key, other]]
        // Who gives way for both shows the first all the same.
        if random.oneIn(2) { entity.uniquenessConstraints.append([other]) }
      }
    }
    declarations.append(entity)
  }

  private static let keyTypes: [AttributeType] = [
    .integer64, .integer16, .double, .decimal, .boolean, .date, .uuid, .uri, .binary,
  ]

  // MARK: Attributes

  private func attribute(_ name: String, using random: inout SeededRandomSource) -> AttributeDescription {
    let rare: [AttributeType] = [.integer16, .integer32, .decimal, .float, .uuid, .uri, .transformable]
    let common: [AttributeType] = [.string, .string, .integer64, .double, .boolean, .date, .binary]
    let types = features.has(.allTypes) ? common + rare : common
    var attribute = AttributeDescription(name, types.randomElement(using: &random) ?? .string)
    if features.has(.validated), random.oneIn(2) {
      switch attribute.type {
      case .integer64: attribute.validation = AttributeValidation(minimum: .integer(-3), maximum: .integer(3))
      case .string: attribute.validation = AttributeValidation(maximumLength: 12)
      default: break
      }
    }
    if features.has(.required), random.oneIn(2) {
      attribute.isOptional = false
      attribute.defaultValue = DrawnValues(features: features).value(of: attribute, using: &random)
    }
    if features.has(.externalStorage), attribute.type == .binary { attribute.allowsExternalStorage = true }
    return attribute
  }

  private func addMerges(to entity: inout EntityDeclaration, using random: inout SeededRandomSource) {
    let prefix = entity.name.lowercased()
    func add(_ name: String, _ type: AttributeType, _ kind: MergeKind, default value: AttributeValue = .null)
    {
      entity.properties.append(
        .attribute(
          AttributeDescription(prefix + name, type, defaultValue: value, userInfo: .merging(kind))))
    }
    if random.oneIn(2) { add("count", .integer64, .counter, default: random.oneIn(2) ? .integer(5) : .null) }
    if random.oneIn(3) { add("sum", features.has(.allTypes) ? .decimal : .double, .counter) }
    if features.has(.bigCounters) {
      if random.oneIn(2) { add("small", .integer16, .counter) }
      if random.oneIn(2) { add("middle", .integer32, .counter, default: .integer(7)) }
    }
    if random.oneIn(3) { add("last", .date, .greatest) }
    if random.oneIn(3) { add("best", .integer64, .smallest) }
    if random.oneIn(3) {
      add("from", .integer64, .group("span"))
      add("to", .integer64, .group("span"))
    }
  }
}

extension EntityDeclaration {
  var naturalKey: String? { userInfo[SyncModelKey.naturalKey] }
}
