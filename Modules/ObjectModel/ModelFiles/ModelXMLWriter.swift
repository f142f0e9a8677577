import Foundation

extension ManagedObjectModel {
  /// The model as Xcode's model editor writes it: the `contents` of an `.xcdatamodel`, UTF-8.
  ///
  /// Reading it back gives a model with the same version hashes. Default values that the editor has no text for (data,
  /// transformable values) are left out.
  public var xml: String {
    var writer = ModelXMLWriter()
    return writer.write(self)
  }
}

/// Writes the elements of a model in the order and with the attributes of document version 1.0.
struct ModelXMLWriter {
  private var text = ""

  mutating func write(_ model: ManagedObjectModel) -> String {
    text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    open(
      "model", 0,
      [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
        ("userDefinedModelVersionIdentifier", model.versionIdentifiers.first),
      ], isEmpty: false)
    for entity in model.entities.sorted(by: { $0.name < $1.name }) { write(entity) }
    text += "</model>\n"
    return text
  }

  private mutating func write(_ entity: EntityDescription) {
    open(
      "entity", 1,
      [
        ("name", entity.name), ("representedClassName", entity.className),
        ("parentEntity", entity.parent?.name),
        ("isAbstract", flag(entity.isAbstract)), ("elementID", entity.renamingIdentifier),
        ("versionHashModifier", entity.versionHashModifier), ("syncable", "YES"),
      ], isEmpty: false)
    for property in entity.properties where entity.ownPropertyNames.contains(property.name) {
      switch property {
      case .attribute(let attribute):
        write(attribute, hasIndex: entity.indexes.contains { $0.properties == [attribute.name] })
      case .relationship(let relationship): write(relationship, in: entity)
      }
    }
    for index in entity.indexes {
      open("fetchIndex", 2, [("name", index.name)], isEmpty: false)
      for name in index.properties {
        let order = index.descending.contains(name) ? "descending" : "ascending"
        open("fetchIndexElement", 3, [("property", name), ("type", "Binary"), ("order", order)])
      }
      close("fetchIndex", 2)
    }
    if !entity.ownUniquenessConstraints.isEmpty {
      open("uniquenessConstraints", 2, [], isEmpty: false)
      for constraint in entity.ownUniquenessConstraints {
        open("uniquenessConstraint", 3, [], isEmpty: false)
        for name in constraint { open("constraint", 4, [("value", name)]) }
        close("uniquenessConstraint", 3)
      }
      close("uniquenessConstraints", 2)
    }
    write(userInfo: entity.userInfo, 2)
    close("entity", 1)
  }

  private mutating func write(_ attribute: AttributeDescription, hasIndex: Bool) {
    var attributes: [(String, String?)] = [
      ("name", attribute.name), ("optional", flag(attribute.isOptional)),
      ("transient", flag(attribute.isTransient)),
      ("attributeType", ModelXMLAttributes.name(of: attribute.type)),
      ("valueTransformerName", attribute.transformerName),
    ]
    let validation = attribute.validation
    if attribute.type == .date {
      attributes += [
        ("minDateTimeInterval", validation.minimum?.modelText),
        ("maxDateTimeInterval", validation.maximum?.modelText),
        ("defaultDateTimeInterval", attribute.defaultValue.modelText),
      ]
    } else {
      attributes += [
        ("minValueString", validation.minimum?.modelText ?? validation.minimumLength.map { String($0) }),
        ("maxValueString", validation.maximum?.modelText ?? validation.maximumLength.map { String($0) }),
        ("regularExpressionString", validation.pattern),
        ("defaultValueString", attribute.defaultValue.modelText),
      ]
    }
    attributes += [
      ("allowsExternalBinaryDataStorage", flag(attribute.allowsExternalStorage)),
      ("preserveAfterDeletion", flag(attribute.preservesValueOnDeletion)),
      ("indexed", !attribute.isIndexed && hasIndex ? "NO" : flag(attribute.isIndexed)),
      ("derived", flag(attribute.derivation != nil)),
      ("derivationExpression", attribute.derivation),
      ("versionHashModifier", attribute.versionHashModifier), ("elementID", attribute.renamingIdentifier),
    ]
    open("attribute", 2, attributes, isEmpty: attribute.userInfo.isEmpty)
    guard !attribute.userInfo.isEmpty else { return }
    write(userInfo: attribute.userInfo, 3)
    close("attribute", 2)
  }

  private mutating func write(_ relationship: RelationshipDescription, in entity: EntityDescription) {
    let rule =
      switch relationship.deleteRule {
      case .noAction: "No Action"
      case .nullify: "Nullify"
      case .cascade: "Cascade"
      case .deny: "Deny"
      }
    let maximum = relationship.maximumCount
    open(
      "relationship", 2,
      [
        ("name", relationship.name), ("optional", flag(relationship.isOptional)),
        ("transient", flag(relationship.isTransient)), ("toMany", flag(relationship.isToMany)),
        ("minCount", relationship.minimumCount == 0 ? nil : String(relationship.minimumCount)),
        ("maxCount", maximum == 0 ? nil : String(maximum)), ("deletionRule", rule),
        ("ordered", flag(relationship.isOrdered)), ("destinationEntity", relationship.destination),
        ("inverseName", relationship.inverse),
        ("inverseEntity", relationship.inverse == nil ? nil : relationship.destination),
        ("versionHashModifier", relationship.versionHashModifier),
        ("elementID", relationship.renamingIdentifier),
      ], isEmpty: relationship.userInfo.isEmpty)
    guard !relationship.userInfo.isEmpty else { return }
    write(userInfo: relationship.userInfo, 3)
    close("relationship", 2)
  }

  private mutating func write(userInfo: [String: String], _ depth: Int) {
    guard !userInfo.isEmpty else { return }
    open("userInfo", depth, [], isEmpty: false)
    for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
      open("entry", depth + 1, [("key", key), ("value", value)])
    }
    close("userInfo", depth)
  }
}

// MARK: - Markup

extension ModelXMLWriter {
  private func flag(_ isSet: Bool) -> String? { isSet ? "YES" : nil }

  private mutating func open(
    _ element: String, _ depth: Int, _ attributes: [(String, String?)], isEmpty: Bool = true
  ) {
    text += String(repeating: "    ", count: depth) + "<" + element
    for case (let name, let value?) in attributes { text += " \(name)=\"\(Self.escape(value))\"" }
    text += isEmpty ? "/>\n" : ">\n"
  }

  private mutating func close(_ element: String, _ depth: Int) {
    text += String(repeating: "    ", count: depth) + "</" + element + ">\n"
  }

  private static func escape(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      // A reader turns these into spaces unless they are written as references.
      case "\n", "\r", "\t": escaped += "&#\(scalar.value);"
      // Characters that XML cannot hold at all.
      case _ where scalar.value < 0x20: escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension AttributeValue {
  /// A default value or bound as the model editor writes it; `nil` if it has no text.
  fileprivate var modelText: String? {
    switch self {
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    case .double(let value), .date(let value): String(value)
    case .float(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value), .uri(let value): value
    case .uuid(let value): value.uuidString
    case .null, .data, .reference: nil
    }
  }
}
