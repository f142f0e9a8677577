import XMLReading

/// Reads the XML that Xcode's model editor writes (`contents` of an `.xcdatamodel`, document version 1.0).
///
/// Elements and attributes that do not bear on how objects are stored or checked (positions in the diagram, fetch
/// requests, configurations) are passed over.
struct ModelXML {
  /// What stands under an element that is being read.
  private enum Scope {
    case model
    case entity(EntityDeclaration)
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case fetchIndex(IndexDescription)
    case uniquenessConstraint([String])
    case compoundIndex([String])
    case passedOver
  }

  private let bytes: [UInt8]
  private var scopes: [Scope] = []
  private var entities: [EntityDeclaration] = []
  private var versionIdentifiers: [String] = []
  // Attributes of the entity that is being read which say that they have no index of their own.
  private var unindexed: Set<String> = []
  private var hasModel = false
  /// How many lines end before an offset, as far as elements have been read.
  private var lines: (offset: Int, count: Int) = (0, 0)

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(ModelFileError) -> ModelFileContents {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ModelFileError(.malformed, "the XML is not valid UTF-8")
    }
    var limits = XMLLimits()
    // Texts and predicates stand in attributes.
    limits.markup = 1 << 20
    var document = XMLReader(limits: limits, documentType: .passedOver)
    var model = ModelXML(bytes)
    do {
      try document.read(bytes) { try model.take($0) }
      try document.finish()
    } catch let error as ModelFileError {
      throw error
    } catch let error as XMLError {
      let line = model.line(at: error.offset)
      throw ModelFileError(
        .malformed, "line \(line): the XML is not well-formed: \(error.reason)", underlying: error)
    } catch {
      throw ModelFileError(.malformed, "the XML cannot be read: \(error)", underlying: error)
    }
    guard model.hasModel else { throw ModelFileError(.otherFormat, "the XML has no <model> element") }
    return ModelFileContents(entities: model.entities, versionIdentifiers: model.versionIdentifiers)
  }

  /// The number of the line that an offset is in, none before those that were asked for.
  private mutating func line(at offset: Int) -> Int {
    let end = min(max(offset, lines.offset), bytes.count)
    lines.count += bytes[lines.offset..<end].count { $0 == UInt8(ascii: "\n") }
    lines.offset = end
    return lines.count + 1
  }

  private mutating func take(_ event: XMLEvent) throws(ModelFileError) {
    switch event {
    case .start(let element):
      let attributes = ModelXMLAttributes(element.attributes, line: line(at: element.offset))
      scopes.append(try scope(of: element.name.local, attributes))
    case .end: endElement()
    case .text: break
    }
  }

  private mutating func endElement() {
    guard let finished = scopes.popLast() else { return }
    switch finished {
    case .entity(let entity): entities.append(entity)
    case .attribute(let attribute): changeEntity { $0.properties.append(.attribute(attribute)) }
    case .relationship(let relationship): changeEntity { $0.properties.append(.relationship(relationship)) }
    case .fetchIndex(let index) where !index.properties.isEmpty:
      let unindexed = unindexed
      changeEntity { Self.add(index, to: &$0, unindexed) }
    case .compoundIndex(let properties) where !properties.isEmpty:
      changeEntity { $0.indexes.append(IndexDescription(properties.joined(separator: "_"), on: properties)) }
    case .uniquenessConstraint(let properties) where !properties.isEmpty:
      changeEntity { $0.uniquenessConstraints.append(properties) }
    case .model, .fetchIndex, .uniquenessConstraint, .compoundIndex, .passedOver: break
    }
  }
}

// MARK: - Elements

extension ModelXML {
  private mutating func scope(of element: String, _ attributes: ModelXMLAttributes) throws(ModelFileError)
    -> Scope
  {
    switch (element, scopes.last) {
    case ("model", nil):
      hasModel = true
      if let identifier = attributes["userDefinedModelVersionIdentifier"] {
        versionIdentifiers = [identifier]
      }
      return .model
    case ("entity", .model):
      unindexed = []
      return .entity(try attributes.entity())
    case ("attribute", .entity):
      let attribute = try attributes.attribute()
      if attributes["indexed"] == "NO" { unindexed.insert(attribute.name) }
      return .attribute(attribute)
    case ("relationship", .entity): return .relationship(try attributes.relationship())
    case ("fetchIndex", .entity):
      return .fetchIndex(IndexDescription(try attributes.required("name"), on: []))
    case ("fetchIndexElement", .fetchIndex(var index)):
      // An element over an expression has no property; such an index cannot be expressed here.
      if let property = attributes["property"] {
        index.properties.append(property)
        if attributes["order"] == "descending" { index.descending.insert(property) }
        scopes[scopes.count - 1] = .fetchIndex(index)
      }
    case ("uniquenessConstraint", _): return .uniquenessConstraint([])
    case ("constraint", .uniquenessConstraint(let properties)):
      scopes[scopes.count - 1] = .uniquenessConstraint(properties + [try attributes.required("value")])
    case ("compoundIndex", _): return .compoundIndex([])
    case ("index", .compoundIndex(let properties)):
      scopes[scopes.count - 1] = .compoundIndex(properties + [try attributes.required("value")])
    case ("entry", _):
      if let key = attributes["key"] { addUserInfo(key, attributes["value"] ?? "") }
    default: break
    }
    return .passedOver
  }

  /// Where an index is over one attribute, the compiler of models makes another one that has the attribute's name.
  private static func add(
    _ index: IndexDescription, to entity: inout EntityDeclaration, _ unindexed: Set<String>
  ) {
    if index.properties.count == 1, let name = index.properties.first, !unindexed.contains(name),
      let place = entity.properties.firstIndex(where: { $0.name == name }),
      case .attribute(var attribute) = entity.properties[place]
    {
      attribute.isIndexed = true
      entity.properties[place] = .attribute(attribute)
    }
    entity.indexes.append(index)
  }

  private mutating func changeEntity(_ change: (inout EntityDeclaration) -> Void) {
    for index in scopes.indices.reversed() {
      guard case .entity(var entity) = scopes[index] else { continue }
      change(&entity)
      scopes[index] = .entity(entity)
      return
    }
  }

  /// Adds an entry to what the nearest enclosing description says about itself.
  private mutating func addUserInfo(_ key: String, _ value: String) {
    for index in scopes.indices.reversed() {
      switch scopes[index] {
      case .entity(var entity):
        entity.userInfo[key] = value
        scopes[index] = .entity(entity)
        return
      case .attribute(var attribute):
        attribute.userInfo[key] = value
        scopes[index] = .attribute(attribute)
        return
      case .relationship(var relationship):
        relationship.userInfo[key] = value
        scopes[index] = .relationship(relationship)
        return
      default: continue
      }
    }
  }
}
