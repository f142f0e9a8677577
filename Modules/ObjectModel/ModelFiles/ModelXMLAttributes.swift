/// The attributes of one XML element of a model, and what they describe.
struct ModelXMLAttributes {
  private let values: [String: String]
  private let line: Int

  init(_ values: [String: String], line: Int) {
    self.values = values
    self.line = line
  }

  subscript(name: String) -> String? { values[name] }

  func required(_ name: String) throws(ModelFileError) -> String {
    guard let value = values[name], !value.isEmpty else {
      throw ModelFileError(.malformed, "line \(line): the attribute “\(name)” is missing")
    }
    return value
  }

  private func flag(_ name: String) -> Bool { values[name] == "YES" }

  private func count(_ name: String) throws(ModelFileError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let count = Int32(text) else {
      throw ModelFileError(.malformed, "line \(line): “\(name)” is no count: \(text)")
    }
    return Int(count)
  }

  func entity() throws(ModelFileError) -> EntityDeclaration {
    EntityDeclaration(
      try required("name"), parent: values["parentEntity"], isAbstract: flag("isAbstract"),
      className: values["representedClassName"], renamingIdentifier: values["elementID"],
      versionHashModifier: values["versionHashModifier"])
  }

  func attribute() throws(ModelFileError) -> AttributeDescription {
    let name = try required("name")
    let type = try attributeType()
    var attribute = AttributeDescription(
      name, type, isOptional: flag("optional"), isTransient: flag("transient"), isIndexed: flag("indexed"),
      allowsExternalStorage: flag("allowsExternalBinaryDataStorage"),
      preservesValueOnDeletion: flag("preserveAfterDeletion"),
      derivation: values["derivationExpression"], transformerName: values["valueTransformerName"],
      renamingIdentifier: values["elementID"], versionHashModifier: values["versionHashModifier"])
    attribute.defaultValue = try value("defaultValueString", "defaultDateTimeInterval", type) ?? .null
    if type == .string {
      attribute.validation.minimumLength = try count("minValueString")
      attribute.validation.maximumLength = try count("maxValueString")
      attribute.validation.pattern = values["regularExpressionString"]
    } else {
      attribute.validation.minimum = try value("minValueString", "minDateTimeInterval", type)
      attribute.validation.maximum = try value("maxValueString", "maxDateTimeInterval", type)
    }
    return attribute
  }

  func relationship() throws(ModelFileError) -> RelationshipDescription {
    let isToMany = flag("toMany")
    return RelationshipDescription(
      try required("name"), to: try required("destinationEntity"), inverse: values["inverseName"],
      isToMany: isToMany,
      isOrdered: flag("ordered"), isOptional: flag("optional"), isTransient: flag("transient"),
      deleteRule: try deleteRule(), minimumCount: try count("minCount") ?? 0,
      maximumCount: try count("maxCount") ?? (isToMany ? 0 : 1), renamingIdentifier: values["elementID"],
      versionHashModifier: values["versionHashModifier"])
  }

  private func value(
    _ textName: String, _ dateName: String, _ type: AttributeType
  ) throws(ModelFileError) -> AttributeValue? {
    // The editor writes dates as text for people and as seconds for programs.
    let name = type == .date ? dateName : textName
    guard let text = values[name] else { return nil }
    guard let value = AttributeValue(modelText: text, type: type) else {
      throw ModelFileError(.malformed, "line \(line): “\(name)” is not of the attribute's type: \(text)")
    }
    return value
  }

  private func attributeType() throws(ModelFileError) -> AttributeType {
    guard let name = values["attributeType"] else { return .undefined }
    guard let type = Self.types[name] else {
      throw ModelFileError(.malformed, "line \(line): “\(name)” is no attribute type")
    }
    return type
  }

  private func deleteRule() throws(ModelFileError) -> DeleteRule {
    switch values["deletionRule"] {
    case "Nullify": return .nullify
    case "Cascade": return .cascade
    case "Deny": return .deny
    case "No Action", nil: return .noAction
    case let name?: throw ModelFileError(.malformed, "line \(line): “\(name)” is no delete rule")
    }
  }

  /// The editor's name of a type; attributes without a type have no name for it.
  static func name(of type: AttributeType) -> String? {
    type == .undefined ? nil : types.first { $0.value == type }?.key
  }

  private static let types: [String: AttributeType] = [
    "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
    "Decimal": .decimal, "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean,
    "Date": .date,
    "Binary": .binary, "UUID": .uuid, "URI": .uri, "Transformable": .transformable, "Object ID": .objectID,
    "Composite": .composite,
  ]
}
