import ObjectStore

/// Makes models whose names clash wherever they may: siblings that declare the same names in other cases, attributes that are named
/// as relationships elsewhere, relationships of an entity to itself, and many to one entity under one name.
struct ClashingModel {
  var random: SeededGenerator
  var entities: [EntityDeclaration] = []

  /// The entities, each of which may be made into a model.
  static func declarations(using random: inout SeededGenerator) -> [EntityDeclaration] {
    var generator = ClashingModel(random: random)
    generator.addEntities()
    for index in generator.entities.indices { generator.addAttributes(to: index) }
    for _ in 0..<Int.random(in: 2...9, using: &generator.random) { generator.addRelationship() }
    for index in generator.entities.indices { generator.addDerivedAttributes(to: index) }
    random = generator.random
    return generator.entities
  }

  private init(random: SeededGenerator) { self.random = random }

  private static let entityNames = [
    "alpha", "Beta", "GAMMA", "delta", "Epsilon2", "Zeta", "anEntityWithQuiteALongNameOfItsOwn",
  ]
  private static let propertyNames =
    [
      "text", "Text", "TEXT", "name", "owner", "Owner", "parts", "first", "size", "größe", "straße", "x",
      "opt",
      "pk",
      "number_of_things", "aPropertyWithMoreThanTwentyThreeUnits", "aPropertyWithMoreThanTwentyThreeOthers",
    ] + ["a", "b"].map { "along" + String(repeating: "0123456789", count: 10) + $0 }
  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid,
    .uri, .transformable,
  ]

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  // MARK: - Entities

  private mutating func addEntities() {
    let names = Self.entityNames.shuffled(using: &random).prefix(Int.random(in: 1...7, using: &random))
    for name in names {
      let parent = chance(2) ? entities.randomElement(using: &random)?.name : nil
      entities.append(EntityDeclaration(name, parent: parent))
    }
    // Only what others inherit from may be abstract, so that every model has something to insert.
    for index in entities.indices where entities.contains(where: { $0.parent == entities[index].name }) {
      entities[index].isAbstract = chance(3)
    }
  }

  private func ancestors(of index: Int) -> [Int] {
    var found: [Int] = []
    var next = entities[index].parent
    while let name = next, let parent = entities.firstIndex(where: { $0.name == name }) {
      found.append(parent)
      next = entities[parent].parent
    }
    return found
  }

  /// Properties of an entity, its own and those that it inherits.
  func properties(of index: Int) -> [PropertyDescription] {
    ([index] + ancestors(of: index)).flatMap { entities[$0].properties }
  }

  /// A name that neither the entity nor any that it shares properties with has, in whatever case.
  mutating func freeName(for index: Int) -> String? {
    let family = entities.indices.filter {
      $0 == index || ancestors(of: $0).contains(index) || ancestors(of: index).contains($0)
    }
    let taken = Set(family.flatMap { entities[$0].properties }.map { $0.name.uppercased() })
    return Self.propertyNames.filter { !taken.contains($0.uppercased()) }.randomElement(using: &random)
  }

  // MARK: - Properties

  private mutating func addAttributes(to index: Int) {
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      guard let name = freeName(for: index), let type = Self.types.randomElement(using: &random) else {
        return
      }
      let isTransient = chance(9)
      let isExternal = [.binary, .transformable].contains(type) && chance(2)
      let value = AttributeValue.atTheEdge(of: type, isExternal: isExternal, using: &random)
      entities[index].properties.append(
        .attribute(
          AttributeDescription(
            name, type, isOptional: value.isNull || chance(2), isTransient: isTransient,
            isIndexed: chance(3),
            defaultValue: value, allowsExternalStorage: isExternal,
            versionHashModifier: chance(5) ? "2" : nil)))
    }
    // A name that another gets by its number. Of a root alone, whose names are taken before all others.
    if entities[index].parent == nil, chance(3) {
      entities[index].properties.append(.attribute(AttributeDescription("text1", .string)))
    }
  }

  private mutating func addRelationship() {
    guard let source = entities.indices.randomElement(using: &random),
      let destination = chance(3) ? source : entities.indices.randomElement(using: &random),
      let name = freeName(for: source)
    else { return }
    func relationship(_ name: String, to index: Int, inverse: String?) -> RelationshipDescription {
      let isToMany = Int.random(in: 0..<3, using: &random) > 0
      return RelationshipDescription(
        name, to: entities[index].name, inverse: inverse, isToMany: isToMany, isOrdered: chance(3),
        deleteRule: chance(6) ? .cascade : .nullify, versionHashModifier: chance(8) ? "3" : nil)
    }
    if chance(4) {
      let oneWay = relationship(name, to: destination, inverse: nil)
      entities[source].properties.append(.relationship(oneWay))
    } else if source == destination, chance(2) {
      // Its own inverse has no order of its own on either side.
      var own = relationship(name, to: source, inverse: name)
      own.isOrdered = false
      entities[source].properties.append(.relationship(own))
    } else {
      entities[source].properties.append(.relationship(relationship(name, to: destination, inverse: nil)))
      let last = entities[source].properties.count - 1
      guard let inverse = freeName(for: destination),
        var there = entities[source].properties[last].asRelationship
      else { return }
      there.inverse = inverse
      entities[source].properties[last] = .relationship(there)
      let back = relationship(inverse, to: source, inverse: name)
      entities[destination].properties.append(.relationship(back))
    }
  }
}
