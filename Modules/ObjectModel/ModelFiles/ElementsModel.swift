import CoreDataFormats

/// Reads the model archives of Xcode before 4.3 (`elements` of an `.xcdatamodel`).
///
/// They archive the editor's own objects: entities are "classes" that own "attributes", and everything that Core Data
/// knows of them stands in "stereotypes", each a list of named defaults. The layout was learned from two published
/// models whose stores confirm it, and from others for relationships. No data model among them has a parent entity; how one is archived
/// is known from class models, which the same editor kept with the same objects.
struct ElementsModel {
  private let archive: KeyedArchive

  static func isElements(_ bytes: [UInt8]) throws(ModelFileError) -> Bool {
    do throws(CoreDataFormatError) {
      let archive = try KeyedArchive(bytes, limits: DecodingLimits(bytes: ModelFile.largestModel))
      return try archive.record(archive.root())?.classes.contains("XDModel") == true
    } catch { throw ModelFileError(error) }
  }

  static func parse(_ bytes: [UInt8]) throws(ModelFileError) -> ModelFileContents {
    do throws(CoreDataFormatError) {
      let archive = try KeyedArchive(bytes, limits: DecodingLimits(bytes: ModelFile.largestModel))
      return try ElementsModel(archive: archive).contents()
    } catch { throw ModelFileError(error) }
  }

  private func contents() throws(CoreDataFormatError) -> ModelFileContents {
    guard let model = try archive.record(archive.root()), let package = model.reference("_xd_rootPackage"),
      let classes = try archive.record(package)?.reference("XDBucketForClassesstorage")
    else { throw CoreDataFormatError(.malformed, in: .keyedArchive, expected: "a model with a root package") }
    var entities: [EntityDeclaration] = []
    for entry in try archive.entries(classes) {
      guard let record = try archive.record(entry.value), record.className == "XDPMEntity",
        case .string(let name) = try archive.value(entry.key)
      else { continue }
      entities.append(try entity(name, record))
    }
    return ModelFileContents(entities: entities, versionIdentifiers: [])
  }

  private func entity(_ name: String, _ record: KeyedArchive.Record) throws(CoreDataFormatError)
    -> EntityDeclaration
  {
    let values = try stereotypeValues(record)
    var entity = EntityDeclaration(
      name, isAbstract: values.flag("XD_PSK_isAbstract"), className: values.text("XD_PSK_entityClassName"),
      renamingIdentifier: values.text("XD_PSK_elementID"),
      versionHashModifier: values.text("XD_PSK_versionHashModifier"))
    entity.parent = try parent(of: name, record)
    guard let properties = record.reference("XDBucketForOwnedAttributesstorage") else { return entity }
    for entry in try archive.entries(properties) {
      guard let record = try archive.record(entry.value),
        case .string(let property) = try archive.value(entry.key)
      else { continue }
      switch record.className {
      case "XDPMAttribute": entity.properties.append(.attribute(try attribute(property, record)))
      case "XDPMFetchedProperty": continue
      case "XDPMRelationship": entity.properties.append(.relationship(try relationship(property, record)))
      default:
        throw CoreDataFormatError(
          .unsupported, in: .keyedArchive,
          expected: "no property “\(name).\(property)” of class \(record.className) in this old format")
      }
    }
    return entity
  }

  /// The name of an entity's parent: a generalization leads from a special class to the general one.
  private func parent(of name: String, _ record: KeyedArchive.Record) throws(CoreDataFormatError) -> String? {
    guard let storage = record.reference("XDBucketForGeneralizationsstorage") else { return nil }
    let generalizations = try archive.elements(storage)
    guard let generalization = generalizations.first else { return nil }
    guard generalizations.count == 1, let general = try archive.record(generalization)?.reference("_general"),
      let parent = try self.name(of: general)
    else {
      throw CoreDataFormatError(
        .unsupported, in: .keyedArchive, expected: "one parent entity of “\(name)”, with a name")
    }
    return parent
  }

  private func attribute(_ name: String, _ record: KeyedArchive.Record) throws(CoreDataFormatError)
    -> AttributeDescription
  {
    let values = try stereotypeValues(record)
    guard let code = values.number("XD_PAttK_attributeType"), let code = Int32(exactly: code),
      let type = AttributeType(rawValue: code)
    else {
      throw CoreDataFormatError(.malformed, in: .keyedArchive, expected: "an attribute type for “\(name)”")
    }
    var attribute = AttributeDescription(
      name, type, isOptional: values.flag("XD_PPSK_isOptional"),
      isTransient: values.flag("XD_PPSK_isTransient"),
      isIndexed: values.flag("XD_PPSK_isIndexed"),
      allowsExternalStorage: values.flag("XD_PAttK_allowsExternalBinaryDataStorage"),
      transformerName: values.text("XD_PAttK_valueTransformerName"),
      renamingIdentifier: values.text("XD_PPSK_elementID"),
      versionHashModifier: values.text("XD_PPSK_versionHashModifier"))
    attribute.defaultValue =
      values.text("XD_PAttK_defaultValueAsString").flatMap { AttributeValue(modelText: $0, type: type) }
      ?? .null
    let bounds = ["XD_PAttK_minValueString", "XD_PAttK_maxValueString"].map { values.text($0) }
    if type == .string {
      attribute.validation.minimumLength = bounds[0].flatMap { Int($0) }
      attribute.validation.maximumLength = bounds[1].flatMap { Int($0) }
      attribute.validation.pattern = values.text("XD_PAttK_regularExpressionString")
    } else {
      attribute.validation.minimum = bounds[0].flatMap { AttributeValue(modelText: $0, type: type) }
      attribute.validation.maximum = bounds[1].flatMap { AttributeValue(modelText: $0, type: type) }
    }
    return attribute
  }

  private func relationship(_ name: String, _ record: KeyedArchive.Record) throws(CoreDataFormatError)
    -> RelationshipDescription
  {
    let values = try stereotypeValues(record)
    let ends = try stereotypeDefaults(record)
    guard
      let destination = try ends["XD_PRK_destination"].flatMap({ end throws(CoreDataFormatError) in
        try self.name(of: end)
      })
    else {
      throw CoreDataFormatError(
        .malformed, in: .keyedArchive, expected: "a destination of the relationship “\(name)”")
    }
    return RelationshipDescription(
      name, to: destination,
      inverse: try ends["XD_PRK_inverseRelationship"].flatMap { end throws(CoreDataFormatError) in
        try self.name(of: end)
      },
      isToMany: values.flag("XD_PRK_isToMany"), isOrdered: values.flag("XD_PRK_ordered"),
      isOptional: values.flag("XD_PPSK_isOptional"), isTransient: values.flag("XD_PPSK_isTransient"),
      deleteRule: values.number("XD_PRK_deleteRule").flatMap { DeleteRule(rawValue: Int(clamping: $0)) }
        ?? .nullify,
      minimumCount: Int(clamping: values.number("XD_PRK_minCount") ?? 0),
      maximumCount: values.flag("XD_PRK_isToMany") ? Int(clamping: values.number("XD_PRK_maxCount") ?? 0) : 1,
      renamingIdentifier: values.text("XD_PPSK_elementID"),
      versionHashModifier: values.text("XD_PPSK_versionHashModifier"))
  }

  /// The name of an entity or property that another refers to.
  private func name(of reference: KeyedArchive.Reference) throws(CoreDataFormatError) -> String? {
    guard let name = try archive.record(reference)?.reference("_name"),
      case .string(let text) = try archive.value(name)
    else { return nil }
    return text
  }

  /// The defaults in all stereotypes of an entity or property, by name. Some are editor objects; only plain ones have a value.
  private func stereotypeValues(_ record: KeyedArchive.Record) throws(CoreDataFormatError) -> [String:
    ArchivedObject]
  {
    try stereotypeDefaults(record).compactMapValues { try? archive.value($0) }
  }

  private func stereotypeDefaults(_ record: KeyedArchive.Record) throws(CoreDataFormatError) -> [String:
    KeyedArchive.Reference]
  {
    var values: [String: KeyedArchive.Reference] = [:]
    guard let stereotypes = record.reference("XDBucketForStereotypesstorage") else { return values }
    for stereotype in try archive.entries(stereotypes) {
      guard let owned = try archive.record(stereotype.value)?.reference("XDBucketForOwnedAttributesstorage")
      else {
        continue
      }
      for entry in try archive.entries(owned) {
        guard case .string(let name) = try archive.value(entry.key),
          let standard = try archive.record(entry.value)?.reference("_default")
        else { continue }
        values[name] = standard
      }
    }
    return values
  }
}

extension [String: ArchivedObject] {
  fileprivate func text(_ key: String) -> String? {
    if case .string(let text) = self[key], !text.isEmpty { text } else { nil }
  }

  /// Numbers stand there plainly or as text.
  fileprivate func number(_ key: String) -> Int64? {
    self[key]?.wholeNumber ?? text(key).flatMap { Int64($0) }
  }

  fileprivate func flag(_ key: String) -> Bool { self[key]?.wholeNumber == 1 }
}
