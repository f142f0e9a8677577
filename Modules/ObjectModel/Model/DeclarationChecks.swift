/// Finds everything that is wrong with the declarations of a model.
struct DeclarationChecks {
  private let declarations: [EntityDeclaration]
  let byName: [String: EntityDeclaration]
  /// The properties that an entity declares itself, by their names.
  let ownProperties: [String: [String: PropertyDescription]]

  init(_ declarations: [EntityDeclaration]) {
    self.declarations = declarations
    byName = Dictionary(declarations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    ownProperties = byName.mapValues {
      Dictionary($0.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Ancestors of an entity, at most: each inherits all properties of those before it, so that a long chain takes its square of work.
  private static let ancestorLimit = 256

  func problems() -> [ModelError.Problem] {
    if let deep = declarations.first(where: { ancestors(of: $0).count > Self.ancestorLimit }) {
      let message = "has more than \(Self.ancestorLimit) ancestors, or inherits from itself"
      return [.init(entity: deep.name, property: nil, message: message)]
    }
    var problems: [ModelError.Problem] = []
    var seen: [String: String] = [:]
    for declaration in declarations {
      func add(_ property: String?, _ message: String) {
        problems.append(.init(entity: declaration.name, property: property, message: message))
      }
      if !Self.isName(declaration.name) {
        add(nil, "is not a name: a letter, then letters, digits and underscores")
      }
      // Tables are named by upper-case names.
      if let other = seen.updateValue(declaration.name, forKey: declaration.name.uppercased()) {
        add(nil, other == declaration.name ? "is declared twice" : "differs from \(other) only in case")
      }
      checkParent(of: declaration, add)
      checkProperties(of: declaration, add)
      checkConstraints(of: declaration, add)
    }
    return problems
  }

  typealias Report = (_ property: String?, _ message: String) -> Void

  private func checkParent(of declaration: EntityDeclaration, _ add: Report) {
    guard let parent = declaration.parent else { return }
    if byName[parent] == nil { return add(nil, "its parent \(parent) is not in the model") }
    var ancestor = byName[parent]
    var steps = 0
    while let current = ancestor {
      steps += 1
      if current.name == declaration.name || steps > declarations.count {
        return add(nil, "inherits from itself")
      }
      ancestor = current.parent.flatMap { byName[$0] }
    }
  }

  private func checkProperties(of declaration: EntityDeclaration, _ add: Report) {
    var seen: [String: String] = [:]
    for ancestor in ancestors(of: declaration) {
      for property in ancestor.properties { seen[property.name.uppercased()] = property.name }
    }
    for property in declaration.properties {
      if !Self.isName(property.name) {
        add(property.name, "is not a name: a letter, then letters, digits and underscores")
      }
      if let other = seen.updateValue(property.name, forKey: property.name.uppercased()) {
        add(
          property.name, other == property.name ? "is declared twice" : "differs from \(other) only in case")
      }
      switch property {
      case .attribute(let attribute):
        checkAttribute(attribute, add)
        checkDerivation(of: attribute, in: declaration, add)
      case .relationship(let relationship): checkRelationship(relationship, of: declaration, add)
      }
    }
  }

  private func checkAttribute(_ attribute: AttributeDescription, _ add: Report) {
    if !attribute.type.accepts(attribute.defaultValue) {
      add(attribute.name, "its default value is not of its type")
    }
    if attribute.type == .undefined, !attribute.isTransient {
      add(attribute.name, "has no type, so it must be transient")
    }
    if attribute.type == .objectID, !attribute.isTransient {
      add(attribute.name, "holds an object identifier, so it must be transient")
    }
    if attribute.type == .composite, !attribute.isTransient {
      add(
        attribute.name, "is a composite attribute, whose parts have columns of their own: declare the parts")
    }
    if attribute.allowsExternalStorage, ![.binary, .transformable, .string].contains(attribute.type) {
      add(attribute.name, "only binary and transformable attributes can be stored externally")
    }
    for bound in [attribute.validation.minimum, attribute.validation.maximum].compactMap({ $0 })
    where !attribute.type.accepts(bound) {
      add(attribute.name, "a bound of its range is not of its type")
    }
    if let pattern = attribute.validation.pattern, (try? Regex(pattern)) == nil {
      add(attribute.name, "its pattern is not a regular expression")
    }
  }

  private func checkRelationship(
    _ relationship: RelationshipDescription, of declaration: EntityDeclaration, _ add: Report
  ) {
    let name = relationship.name
    if !relationship.isToMany, relationship.maximumCount != 1 {
      add(name, "a to-one relationship has at most one target")
    }
    // Version hashes and compiled models tell the two apart by this count alone.
    if relationship.isToMany, relationship.maximumCount == 1 {
      add(name, "a relationship with at most one target is a to-one relationship")
    }
    // Core Data's own models have a greatest count of -1, for no limit.
    if relationship.minimumCount < 0 || relationship.maximumCount < -1 { add(name, "a count is negative") }
    if relationship.maximumCount > 0, relationship.minimumCount > relationship.maximumCount {
      add(name, "its least count is greater than its greatest")
    }
    guard let destination = byName[relationship.destination] else {
      return add(name, "its destination \(relationship.destination) is not in the model")
    }
    guard let inverse = relationship.inverse else { return }
    let candidates = ([destination] + ancestors(of: destination)).flatMap(\.properties)
    guard let other = candidates.first(where: { $0.name == inverse })?.asRelationship else {
      return add(name, "its inverse \(relationship.destination).\(inverse) is no relationship in the model")
    }
    if other.inverse != name {
      add(name, "its inverse \(relationship.destination).\(inverse) does not name it as its own inverse")
    }
    let family = Set(([declaration] + ancestors(of: declaration)).map(\.name))
    if !family.contains(other.destination) {
      add(name, "its inverse \(relationship.destination).\(inverse) leads to \(other.destination) instead")
    }
    if other.isTransient != relationship.isTransient { add(name, "is transient on one side only") }
  }

  private func checkConstraints(of declaration: EntityDeclaration, _ add: Report) {
    let properties = ([declaration] + ancestors(of: declaration)).flatMap(\.properties)
    let stored = Set(
      properties.filter { !$0.isTransient && $0.asRelationship?.isToMany != true }.map(\.name))
    for key in declaration.uniquenessConstraints.joined() where !stored.contains(key) {
      add(key, "a uniqueness constraint needs an attribute or to-one relationship that is stored")
    }
    for key in declaration.indexes.flatMap(\.properties) where !stored.contains(key) {
      add(key, "an index needs an attribute or to-one relationship that is stored")
    }
  }

  /// The ancestors from parent to root; ends where they loop.
  func ancestors(of declaration: EntityDeclaration) -> [EntityDeclaration] {
    var ancestors: [EntityDeclaration] = []
    var next = declaration.parent.flatMap { byName[$0] }
    while let current = next, ancestors.count <= min(declarations.count, Self.ancestorLimit) {
      ancestors.append(current)
      next = current.parent.flatMap { byName[$0] }
    }
    return ancestors
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else {
      return false
    }
    return name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_"
    }
  }
}
