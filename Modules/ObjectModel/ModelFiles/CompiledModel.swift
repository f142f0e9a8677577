import CoreDataFormats
import Foundation

/// Reads a compiled model: a keyed archive of an `NSManagedObjectModel`, as `.mom` files and model caches hold it.
///
/// Entities, properties and the model refer to each other in circles, so the archive is walked, not unfolded.
struct CompiledModel {
  typealias Reference = KeyedArchive.Reference

  let archive: KeyedArchive

  static func parse(_ bytes: [UInt8]) throws(ModelFileError) -> ModelFileContents {
    do throws(CoreDataFormatError) {
      return try CompiledModel(
        archive: KeyedArchive(bytes, limits: DecodingLimits(bytes: ModelFile.largestModel))
      )
      .contents()
    } catch { throw ModelFileError(error) }
  }

  private func contents() throws(CoreDataFormatError) -> ModelFileContents {
    let root = try archive.root()
    guard let model = try archive.record(root), model.className == "NSManagedObjectModel",
      let entities = model.reference("NSEntities")
    else {
      throw CoreDataFormatError(
        .otherFormat, in: .keyedArchive, expected: "an NSManagedObjectModel with its entities")
    }
    var declarations: [EntityDeclaration] = []
    for entry in try archive.entries(entities) { declarations.append(try entity(entry.value)) }
    let contents = Self.withoutInherited(declarations)
    return ModelFileContents(entities: contents, versionIdentifiers: try texts(model, "NSVersionIdentifiers"))
  }

  /// Caches list inherited properties again under each sub-entity; they belong to the ancestor alone.
  private static func withoutInherited(_ declarations: [EntityDeclaration]) -> [EntityDeclaration] {
    let byName = Dictionary(declarations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return declarations.map { declaration in
      var inherited: Set<String> = []
      var ancestor = declaration.parent.flatMap { byName[$0] }
      var steps = 0
      while let current = ancestor, steps < declarations.count {
        inherited.formUnion(current.properties.map(\.name))
        ancestor = current.parent.flatMap { byName[$0] }
        steps += 1
      }
      var own = declaration
      own.properties.removeAll { inherited.contains($0.name) }
      return own
    }
  }

  private func entity(_ reference: Reference) throws(CoreDataFormatError) -> EntityDeclaration {
    guard let record = try archive.record(reference), let name = try text(record, "NSEntityName") else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, expected: "an entity with a name (object \(reference))")
    }
    var entity = EntityDeclaration(
      name, isAbstract: flag(record, "NSIsAbstract"), className: try text(record, "NSClassNameForEntity"),
      renamingIdentifier: try renaming(record, from: name),
      versionHashModifier: try text(record, "NSVersionHashModifier"), userInfo: try userInfo(record))
    if let parent = try record.reference("NSSuperentity").map({ parent throws(CoreDataFormatError) in
      try archive.record(parent)
    }),
      let parent
    {
      entity.parent = try text(parent, "NSEntityName")
    }
    if let properties = record.reference("NSProperties") {
      for entry in try archive.entries(properties) {
        if let property = try property(entry.value) { entity.properties.append(property) }
      }
    }
    entity.uniquenessConstraints = try nameLists(record, "NSUniqueTuples")
    try addIndexes(record, to: &entity)
    return entity
  }

  private func property(_ reference: Reference) throws(CoreDataFormatError) -> PropertyDescription? {
    guard let record = try archive.record(reference) else { return nil }
    let base = CompiledProperty(record: record, name: try text(record, "NSPropertyName") ?? "")
    // A proxy stands for an inherited property; fetched properties and expressions are not stored.
    if record.classes.contains("NSAttributeDescription") { return .attribute(try attribute(base)) }
    if record.classes.contains("NSRelationshipDescription") { return .relationship(try relationship(base)) }
    return nil
  }

  private struct CompiledProperty {
    let record: KeyedArchive.Record
    let name: String
  }

  private func attribute(_ property: CompiledProperty) throws(CoreDataFormatError) -> AttributeDescription {
    let record = property.record
    let code = record.fields["NSAttributeType"]?.integerValue ?? 0
    guard let type = Int32(exactly: code).flatMap(AttributeType.init(rawValue:)) else {
      throw CoreDataFormatError(
        .unsupported, in: .keyedArchive, expected: "an attribute type instead of \(code)")
    }
    // Bits of NSFlagsKey as the version hashes of real models confirm them.
    let flags = record.fields["NSFlagsKey"]?.integerValue ?? 0
    return AttributeDescription(
      property.name, type, isOptional: flag(record, "NSIsOptional"),
      isTransient: flag(record, "NSIsTransient"),
      isIndexed: flag(record, "NSIsIndexed"),
      defaultValue: try value(record, "NSDefaultValue", type) ?? .null,
      allowsExternalStorage: flags & 4 != 0, preservesValueOnDeletion: flags & 16 != 0,
      validation: try validation(record, type),
      derivation: try record.reference("NSDerivationExpression").flatMap {
        expression throws(CoreDataFormatError) in
        try derivation(expression)
      }, transformerName: try text(record, "NSValueTransformerName"),
      renamingIdentifier: try renaming(record, from: property.name),
      versionHashModifier: try text(record, "NSVersionHashModifier"), userInfo: try userInfo(record))
  }

  private func relationship(_ property: CompiledProperty) throws(CoreDataFormatError)
    -> RelationshipDescription
  {
    let record = property.record
    var destination = try text(record, "_NSDestinationEntityName")
    if destination == nil, let entity = record.reference("NSDestinationEntity") {
      destination = try archive.record(entity).flatMap { entity throws(CoreDataFormatError) in
        try text(entity, "NSEntityName")
      }
    }
    var inverse = try text(record, "_NSInverseRelationshipName")
    if inverse == nil, let other = record.reference("NSInverseRelationship") {
      inverse = try archive.record(other).flatMap { other throws(CoreDataFormatError) in
        try text(other, "NSPropertyName")
      }
    }
    let maximum = Int(clamping: record.fields["NSMaxCount"]?.integerValue ?? 0)
    let rule = record.fields["NSDeleteRule"]?.integerValue ?? 1
    return RelationshipDescription(
      property.name, to: destination ?? "", inverse: inverse, isToMany: maximum != 1,
      isOrdered: flag(record, "NSIsOrdered"), isOptional: flag(record, "NSIsOptional"),
      isTransient: flag(record, "NSIsTransient"),
      deleteRule: DeleteRule(rawValue: Int(clamping: rule)) ?? .nullify,
      minimumCount: Int(clamping: record.fields["NSMinCount"]?.integerValue ?? 0), maximumCount: maximum,
      renamingIdentifier: try renaming(record, from: property.name),
      versionHashModifier: try text(record, "NSVersionHashModifier"), userInfo: try userInfo(record))
  }
}

// MARK: - Values

extension CompiledModel {
  private func flag(_ record: KeyedArchive.Record, _ key: String) -> Bool {
    record.fields[key]?.integerValue == 1
  }

  func text(_ record: KeyedArchive.Record, _ key: String) throws(CoreDataFormatError) -> String? {
    guard let reference = record.reference(key), case .string(let text) = try archive.value(reference) else {
      return nil
    }
    return text
  }

  /// Compiled models repeat the name itself where no renaming identifier was given.
  private func renaming(_ record: KeyedArchive.Record, from name: String) throws(CoreDataFormatError)
    -> String?
  {
    let identifier = try text(record, "NSRenamingIdentifier")
    return identifier == name ? nil : identifier
  }

  private func texts(_ record: KeyedArchive.Record, _ key: String) throws(CoreDataFormatError) -> [String] {
    guard let reference = record.reference(key) else { return [] }
    var texts: [String] = []
    for element in try archive.elements(reference) {
      if case .string(let text) = try archive.value(element) { texts.append(text) }
    }
    return texts.sorted()
  }

  private func userInfo(_ record: KeyedArchive.Record) throws(CoreDataFormatError) -> [String: String] {
    guard let reference = record.reference("NSUserInfo"),
      case .dictionary(let pairs) = try archive.value(reference, allowing: .any)
    else { return [:] }
    var userInfo: [String: String] = [:]
    for case (.string(let key), .string(let value)) in pairs { userInfo[key] = value }
    return userInfo
  }

  private func value(
    _ record: KeyedArchive.Record, _ key: String, _ type: AttributeType
  ) throws(CoreDataFormatError) -> AttributeValue? {
    // A default that the attribute could not hold (some old models have one) is no default.
    guard let reference = record.reference(key), let object = try? archive.value(reference) else {
      return nil
    }
    return AttributeValue(archived: object, type: type)
  }

  /// A list of lists of property names; newer archives name a property by its description.
  func nameLists(_ record: KeyedArchive.Record, _ key: String) throws(CoreDataFormatError)
    -> [[String]]
  {
    guard let reference = record.reference(key) else { return [] }
    var lists: [[String]] = []
    for list in try archive.elements(reference) {
      var names: [String] = []
      for element in try archive.elements(list) {
        if let description = try archive.record(element) {
          if let name = try text(description, "NSPropertyName") { names.append(name) }
        } else if case .string(let name) = try archive.value(element) {
          names.append(name)
        }
      }
      lists.append(names)
    }
    return lists
  }
}

// MARK: - Validation

extension CompiledModel {
  /// Bounds are archived as predicates: `SELF >= 0`, `length <= 20`, `SELF MATCHES "…"`, or several joined by `AND`. Others are
  /// passed over.
  private func validation(
    _ record: KeyedArchive.Record, _ type: AttributeType
  ) throws(CoreDataFormatError) -> AttributeValidation {
    var validation = AttributeValidation()
    guard let predicates = record.reference("NSValidationPredicates") else { return validation }
    for element in try archive.elements(predicates) {
      guard let predicate = try archive.record(element) else { continue }
      try add(predicate, of: type, to: &validation)
      if let parts = predicate.reference("NSSubpredicates"),
        predicate.fields["NSCompoundPredicateType"]?.integerValue == 1
      {
        for part in try archive.elements(parts) {
          if let part = try archive.record(part) { try add(part, of: type, to: &validation) }
        }
      }
    }
    return validation
  }

  private func add(
    _ predicate: KeyedArchive.Record, of type: AttributeType, to validation: inout AttributeValidation
  ) throws(CoreDataFormatError) {
    guard predicate.className == "NSComparisonPredicate",
      let left = try operand(predicate, "NSLeftExpression"),
      let right = try operand(predicate, "NSRightExpression"),
      let comparison = try operand(predicate, "NSPredicateOperator"),
      let constant = right.reference("NSConstantValue")
    else { return }
    let isLength = left.className == "NSKeyPathExpression" || left.className == "NSFunctionExpression"
    let object = try archive.value(constant)
    switch (comparison.fields["NSOperatorType"]?.integerValue, isLength) {
    case (1, false): validation.maximum = AttributeValue(archived: object, type: type)
    case (3, false): validation.minimum = AttributeValue(archived: object, type: type)
    case (1, true): validation.maximumLength = object.count
    case (3, true): validation.minimumLength = object.count
    case (6, false): if case .string(let pattern) = object { validation.pattern = pattern }
    default: return
    }
  }

  private func operand(
    _ record: KeyedArchive.Record, _ key: String
  ) throws(CoreDataFormatError) -> KeyedArchive.Record? {
    try record.reference(key).flatMap { reference throws(CoreDataFormatError) in try archive.record(reference)
    }
  }
}

extension ArchivedObject {
  fileprivate var count: Int? {
    if case .integer(let count) = self, count >= 0 { Int(clamping: count) } else { nil }
  }
}
