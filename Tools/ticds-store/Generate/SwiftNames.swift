import ObjectStore

/// What the entities and properties of a model are called in Swift: as in the model, unless Swift or this library has another use for
/// the name.
struct SwiftNames {
  /// The class of each entity, by index.
  private(set) var classes: [String] = []
  /// The Swift property of each property that an entity has, by the index of the entity and the name in the model.
  private var properties: [[String: String]] = []

  init(_ model: ManagedObjectModel) {
    var taken: Set<String> = []
    for entity in model.entities {
      classes.append(Self.free(Self.className(of: entity), ending: "Object", &taken))
    }
    for entity in model.entities {
      // Inherited properties have the names that they were given where they are declared; parents come first.
      var names = entity.parent.map { properties[$0.index] } ?? [:]
      var used = Set(names.values.flatMap { [$0, "_" + $0] })
      for name in entity.ownPropertyNames.sorted() {
        names[name] = Self.freeProperty(name, &used)
      }
      properties.append(names)
    }
  }

  /// The Swift property of a property, without the backticks of a keyword.
  func property(_ name: String, of entity: EntityDescription) -> String {
    properties[entity.index][name] ?? name
  }

  /// The class that the model names, without a module; that of the entity if it is none of its own.
  private static func className(of entity: EntityDescription) -> String {
    let named = entity.className?.split(separator: ".").last.map(String.init) ?? ""
    let name = named.isEmpty || named == "NSManagedObject" || named == "ManagedObject" ? entity.name : named
    return identifier(name)
  }

  private static func free(_ name: String, ending: String, _ taken: inout Set<String>) -> String {
    var name = name
    while usedTypes.contains(name) || keywords.contains(name) || taken.contains(name.lowercased()) {
      name += ending
    }
    // Files that differ only in case are one on some disks.
    taken.insert(name.lowercased())
    return name
  }

  private static func freeProperty(_ name: String, _ used: inout Set<String>) -> String {
    var name = identifier(name)
    // A wrapper keeps what it is in a property with an underscore.
    while usedMembers.contains(name) || unspeakable.contains(name) || used.contains(name)
      || used.contains("_" + name)
    {
      name += "Value"
    }
    used.formUnion([name, "_" + name])
    return name
  }

  /// A name of which Swift takes every character.
  private static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      result.unicodeScalars.append(scalar.properties.isXIDContinue ? scalar : "_")
    }
    if result == "_" || result.unicodeScalars.first.map({ !$0.properties.isXIDStart && $0 != "_" }) ?? true {
      result = "_" + result
    }
    return result == "__" ? "underscore" : result
  }

  /// A name in source text.
  static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Names that backticks do not help.
  private static let unspeakable: Set = ["self", "Self", "init", "Type", "Protocol", "super", "_"]

  /// What the generated source itself and the objects' own interface need.
  private static let usedTypes: Set = [
    "Any", "AnyObject", "Array", "Attribute", "AttributeDescription", "AttributeValidation", "AttributeValue",
    "Bool",
    "Data", "Date", "Decimal", "Double", "EntityOptions", "Float", "Foundation", "IndexDescription", "Int",
    "Int16",
    "Int32", "Int64", "ManagedObject", "ManagedObjectModel", "ModelError", "Never", "ObjectStore", "Optional",
    "Protocol", "RelationshipDescription", "Self", "Set", "String", "Swift", "ToMany", "ToOne", "Type", "URL",
    "UUID",
    "Void",
  ]

  /// Members that every managed object has.
  private static let usedMembers: Set = [
    "awakeFromFetch", "awakeFromInsert", "changedProperties", "changedValues", "committedValue", "context",
    "didSave",
    "entity", "entityName", "entityOptions", "hasChanges", "hasMember", "hash", "hashValue", "insertMember",
    "isDeleted", "isFault", "isGone", "isInserted", "isUpdated", "members", "objectID", "prepareForDeletion",
    "removeMember", "setMembers", "setTarget", "setValue", "target", "validateForDelete", "validateForInsert",
    "validateForUpdate", "value", "valueChecks", "willSave",
  ]

  private static let keywords: Set = [
    "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await", "break", "case",
    "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "indirect", "infix", "init", "inout",
    "internal", "is",
    "let", "nil", "open", "operator", "postfix", "precedencegroup", "prefix", "private", "protocol", "public",
    "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
    "true", "try",
    "typealias", "var", "where", "while",
  ]
}
