import ObjectStore

/// The source of the classes of a model.
struct ClassSource {
  let model: ManagedObjectModel
  /// Where it was made from, as the files say it.
  let origin: String
  let isPublic: Bool
  let names: SwiftNames

  init(_ model: ManagedObjectModel, origin: String, isPublic: Bool) {
    (self.model, self.origin, self.isPublic) = (model, origin, isPublic)
    names = SwiftNames(model)
  }

  private var access: String { isPublic ? "public " : "" }

  /// The class of an entity, and where it is used.
  private func name(of index: Int) -> String { SwiftNames.quoted(names.classes[index]) }

  private var head: String {
    """
    // Made by “ticds-store generate” from \(origin). What is written here is lost when it is made again;
    // methods belong into extensions in files of their own.

    import Foundation
    import ObjectStore


    """
  }

  /// The function that puts the classes together to a model.
  var modelFile: String {
    let classes = model.entities.map { "      \(name(of: $0.index)).self," }.joined(separator: "\n")
    let identifiers = SwiftLiteral.list(model.versionIdentifiers)
    return head + """
      extension ManagedObjectModel {
        /// The model of the generated classes.
        \(access)static func ofGeneratedClasses() throws(ModelError) -> ManagedObjectModel {
          let classes: [ManagedObject.Type] = [
      \(classes)
          ]
          return try ManagedObjectModel(classes, versionIdentifiers: \(identifiers))
        }
      }

      """
  }

  /// The class of an entity.
  func classFile(_ entity: EntityDescription) -> String {
    let finality = entity.subentityIndices.isEmpty ? "final " : ""
    let parent = entity.parent.map { name(of: $0.index) } ?? "ManagedObject"
    var lines = ["\(access)\(finality)class \(name(of: entity.index)): \(parent) {"]
    if let options = options(entity) {
      lines += ["  \(access)override class var entityOptions: EntityOptions? {", "    \(options)", "  }"]
    }
    for property in entity.properties where entity.ownPropertyNames.contains(property.name) {
      switch property {
      case .attribute(let attribute): lines.append("  " + source(attribute, of: entity))
      case .relationship(let relationship): lines.append("  " + source(relationship, of: entity))
      }
    }
    return head + lines.joined(separator: "\n") + "\n}\n"
  }

  // MARK: Entities

  private func options(_ entity: EntityDescription) -> String? {
    var words: [String] = []
    if names.classes[entity.index] != entity.name { words.append("name: \(SwiftLiteral.text(entity.name))") }
    if entity.isAbstract { words.append("isAbstract: true") }
    if !entity.ownUniquenessConstraints.isEmpty {
      let lists = entity.ownUniquenessConstraints.map { SwiftLiteral.list($0) }
      words.append("uniquenessConstraints: [\(lists.joined(separator: ", "))]")
    }
    if !entity.indexes.isEmpty {
      let indexes = entity.indexes.map { index in
        let descending =
          index.descending.isEmpty ? "" : ", descending: \(SwiftLiteral.list(index.descending.sorted()))"
        return
          "IndexDescription(\(SwiftLiteral.text(index.name)), on: \(SwiftLiteral.list(index.properties))\(descending))"
      }
      words.append("indexes: [\(indexes.joined(separator: ", "))]")
    }
    words += shared(entity.renamingIdentifier, entity.versionHashModifier)
    if !entity.userInfo.isEmpty { words.append("userInfo: \(SwiftLiteral.dictionary(entity.userInfo))") }
    guard !words.isEmpty else { return nil }
    return "EntityOptions(\(name(of: entity.index)).self, \(words.joined(separator: ", ")))"
  }

  private func shared(_ renamingIdentifier: String?, _ versionHashModifier: String?) -> [String] {
    [("renamingIdentifier", renamingIdentifier), ("versionHashModifier", versionHashModifier)].compactMap {
      name, value in value.map { "\(name): \(SwiftLiteral.text($0))" }
    }
  }

  /// The argument that sets what no other argument says.
  private func details(_ assignments: [String]) -> [String] {
    if assignments.isEmpty { return [] }
    return ["details: { \(assignments.map { "$0.\($0)" }.joined(separator: "; ")) }"]
  }

  private func wrapper(_ name: String, _ words: [String]) -> String {
    "@\(name)\(words.isEmpty ? "" : "(\(words.joined(separator: ", ")))") \(access)var "
  }

  // MARK: Attributes

  private func source(_ attribute: AttributeDescription, of entity: EntityDescription) -> String {
    let (type, isOwnType) = Self.type(attribute.type)
    let name = names.property(attribute.name, of: entity)
    var words: [String] = []
    if attribute.isIndexed { words.append("indexed: true") }
    if attribute.isTransient { words.append("isTransient: true") }
    if attribute.allowsExternalStorage { words.append("externalStorage: true") }
    if let validation = validation(attribute.validation) { words.append("validation: \(validation)") }
    words += shared(attribute.renamingIdentifier, attribute.versionHashModifier)
    if let derivation = attribute.derivation { words.append("derivation: \(SwiftLiteral.text(derivation))") }
    if !attribute.userInfo.isEmpty {
      words.append("userInfo: \(SwiftLiteral.dictionary(attribute.userInfo))")
    }
    var assignments: [String] = []
    if name != attribute.name { assignments.append("name = \(SwiftLiteral.text(attribute.name))") }
    if !isOwnType { assignments.append("type = .\(attribute.type)") }
    if attribute.preservesValueOnDeletion { assignments.append("preservesValueOnDeletion = true") }
    if let transformer = attribute.transformerName {
      assignments.append("transformerName = \(SwiftLiteral.text(transformer))")
    }
    words += details(assignments)
    let value =
      SwiftLiteral.value(attribute.defaultValue, isOptional: attribute.isOptional).map { " = \($0)" } ?? ""
    return wrapper("Attribute", words) + SwiftNames.quoted(name)
      + ": \(type)\(attribute.isOptional ? "?" : "")\(value)"
  }

  /// The Swift type of an attribute, and whether the attribute's type follows from it.
  private static func type(_ type: AttributeType) -> (name: String, isOwn: Bool) {
    switch type {
    case .integer16: ("Swift.Int16", true)
    case .integer32: ("Swift.Int32", true)
    case .integer64: ("Swift.Int64", true)
    case .decimal: ("Foundation.Decimal", true)
    case .double: ("Swift.Double", true)
    case .float: ("Swift.Float", true)
    case .string: ("Swift.String", true)
    case .boolean: ("Swift.Bool", true)
    case .date: ("Foundation.Date", true)
    case .binary: ("Foundation.Data", true)
    case .uuid: ("Foundation.UUID", true)
    case .uri: ("Foundation.URL", true)
    case .transformable, .undefined, .objectID, .composite: ("Foundation.Data", false)
    }
  }

  private func validation(_ validation: AttributeValidation) -> String? {
    var words: [String] = []
    if let bound = validation.minimum.flatMap(SwiftLiteral.bound) { words.append("minimum: \(bound)") }
    if let bound = validation.maximum.flatMap(SwiftLiteral.bound) { words.append("maximum: \(bound)") }
    if let length = validation.minimumLength { words.append("minimumLength: \(length)") }
    if let length = validation.maximumLength { words.append("maximumLength: \(length)") }
    if let pattern = validation.pattern { words.append("pattern: \(SwiftLiteral.text(pattern))") }
    return words.isEmpty ? nil : "AttributeValidation(\(words.joined(separator: ", ")))"
  }

  // MARK: Relationships

  private func source(_ relationship: RelationshipDescription, of entity: EntityDescription) -> String {
    let name = names.property(relationship.name, of: entity)
    let target = self.name(of: relationship.destinationIndex)
    var words: [String] = []
    if let inverse = relationship.inverse, namesInverse(relationship, of: entity) {
      let destination = model.entities[relationship.destinationIndex]
      let path = SwiftNames.quoted(names.property(inverse, of: destination))
      words.append("inverse: \\\(target).\(path)")
    }
    var assignments: [String] = []
    if name != relationship.name { assignments.append("name = \(SwiftLiteral.text(relationship.name))") }
    if relationship.isToMany {
      if relationship.isOptional != (relationship.minimumCount == 0) {
        assignments.append("isOptional = \(relationship.isOptional)")
      }
    } else {
      if !relationship.isOptional { words.append("isRequired: true") }
      if relationship.isOrdered { assignments.append("isOrdered = true") }
      if relationship.minimumCount != 0 { assignments.append("minimumCount = \(relationship.minimumCount)") }
    }
    if relationship.deleteRule != .nullify { words.append("deleteRule: .\(relationship.deleteRule)") }
    if relationship.isToMany {
      if relationship.minimumCount != 0 { words.append("minimumCount: \(relationship.minimumCount)") }
      if relationship.maximumCount != 0 { words.append("maximumCount: \(relationship.maximumCount)") }
    }
    if relationship.isTransient { words.append("isTransient: true") }
    if relationship.isOwnInverse { words.append("isOwnInverse: true") }
    words += shared(relationship.renamingIdentifier, relationship.versionHashModifier)
    if !relationship.userInfo.isEmpty {
      words.append("userInfo: \(SwiftLiteral.dictionary(relationship.userInfo))")
    }
    words += details(assignments)
    guard relationship.isToMany else {
      return wrapper("ToOne", words) + "\(SwiftNames.quoted(name)): \(target)?"
    }
    let type = relationship.isOrdered ? "[\(target)]" : "Swift.Set<\(target)>"
    return wrapper("ToMany", words) + "\(SwiftNames.quoted(name)): \(type)"
  }

  /// Whether it is this side that names the other, for Swift takes only one of a pair: the one to a single object, or the first.
  private func namesInverse(_ relationship: RelationshipDescription, of entity: EntityDescription) -> Bool {
    guard !relationship.isOwnInverse, let inverse = relationship.inverse else { return false }
    if relationship.isToMany != relationship.inverseIsToMany { return !relationship.isToMany }
    let destination = model.entities[relationship.destinationIndex]
    let owner = destination.property(named: inverse)?.asRelationship?.ownerIndex ?? destination.index
    return (entity.index, relationship.name) < (owner, inverse)
  }
}
