/// What an attribute may be derived from: something that is stored, over which a path leads that can be followed.
extension DeclarationChecks {
  func checkDerivation(
    of attribute: AttributeDescription, in declaration: EntityDeclaration, _ add: Report
  ) {
    guard let text = attribute.derivation else { return }
    guard let derivation = Derivation(text) else {
      return add(attribute.name, "it cannot be derived from “\(text)”")
    }
    if attribute.isMarkedExternal {
      add(attribute.name, "a derived attribute cannot be kept in a file of its own")
    }
    switch source(of: derivation, in: declaration) {
    case .unusable(let problem): add(attribute.name, problem)
    case .attribute(let source, _):
      if let problem = problem(with: source, for: derivation) {
        add(attribute.name, problem)
      } else if let problem = problem(with: attribute.type, of: derivation, from: source.type) {
        add(attribute.name, problem)
      }
      if isEndless(attribute, of: declaration) {
        add(
          attribute.name,
          "what it is derived from leads round in a circle, or over more than \(Self.chainLimit) derived attributes"
        )
      }
    case .none:
      if let problem = problem(with: attribute.type, of: derivation, from: nil) {
        add(attribute.name, problem)
      }
    }
  }

  private enum Source {
    /// An attribute at the end of the path, and an entity that has it.
    case attribute(AttributeDescription, EntityDeclaration)
    /// The time or the number of members.
    case none
    /// Why the path leads nowhere.
    case unusable(String)
  }

  private func source(of derivation: Derivation, in declaration: EntityDeclaration) -> Source {
    let (path, end): ([String], String?) =
      switch derivation.kind {
      case .now: ([], nil)
      case .path(let names, _): (names.dropLast(), names.last)
      case .aggregate(_, let members, let attribute): (members, attribute)
      }
    var entity = declaration
    for (position, name) in path.enumerated() {
      guard let property = property(name, of: entity) else { return Self.unknown(name) }
      guard let relationship = property.asRelationship else {
        return .unusable("“\(name)” is no relationship through which it could be derived")
      }
      let isLast = position == path.count - 1
      if let problem = problem(with: relationship, at: isLast, of: derivation) { return .unusable(problem) }
      // A destination that is missing is reported with the relationship.
      guard let destination = byName[relationship.destination] else { return .none }
      entity = destination
    }
    guard let end else { return .none }
    guard let property = property(end, of: entity) else { return Self.unknown(end) }
    guard let attribute = property.asAttribute else {
      return .unusable("“\(end)” is no attribute from which it could be derived")
    }
    return .attribute(attribute, entity)
  }

  private func problem(
    with relationship: RelationshipDescription, at isLast: Bool, of derivation: Derivation
  ) -> String? {
    let name = relationship.name
    if relationship.isTransient { return Self.notStored(name) }
    guard derivation.isAggregate else {
      return relationship.isToMany
        ? "“\(name)” leads to many objects, of which a count, a sum or the like can be derived" : nil
    }
    if isLast, !relationship.isToMany {
      return "“\(name)” leads to one object, of which nothing can be counted or summed up"
    }
    return !isLast && relationship.isToMany
      ? "“\(name)” leads to many objects, from where the path can lead no further" : nil
  }

  private func problem(with source: AttributeDescription, for derivation: Derivation) -> String? {
    let name = source.name
    if source.isTransient { return Self.notStored(name) }
    if source.isMarkedExternal {
      return "“\(name)” may be kept in a file of its own, from which nothing can be derived"
    }
    switch derivation.kind {
    case .path(_, _?) where source.type != .string: return "“\(name)” is no text"
    case .aggregate(.sum, _, _) where !source.type.isNumber,
      .aggregate(.average, _, _) where !source.type.isNumber:
      return "“\(name)” is no number"
    default: return nil
    }
  }

  /// What is wrong with the type that an attribute has for what is derived; `nil` if it may hold it.
  ///
  /// - Parameter source: The type of what it is derived from, if that is an attribute.
  private func problem(
    with type: AttributeType, of derivation: Derivation, from source: AttributeType?
  ) -> String? {
    let derived: AttributeType? =
      switch derivation.kind {
      case .now: .date
      case .path(_, _?): .string
      case .path(_, nil), .aggregate(.minimum, _, _), .aggregate(.maximum, _, _): source
      case .aggregate(.sum, _, _), .aggregate(.average, _, _): source == .date ? .date : .double
      case .aggregate(.count, _, _): .integer64
      }
    let isTime = derivation.kind == .now
    guard let derived, isTime ? type != derived : !type.holdsDerived(derived) else { return nil }
    return "it is of the type \(type), which nothing of the type \(derived) fits"
  }

  /// Derived attributes one behind another, at most: each save computes them one after the other.
  private static let chainLimit = 64

  /// Every derived attribute has one source at most, so what one is derived from is a chain.
  private func isEndless(_ attribute: AttributeDescription, of declaration: EntityDeclaration) -> Bool {
    var (current, entity) = (attribute, declaration)
    for _ in 0...Self.chainLimit {
      guard let derivation = current.parsedDerivation,
        case .attribute(let source, let holder) = source(of: derivation, in: entity)
      else { return false }
      (current, entity) = (source, holder)
    }
    return true
  }

  private func property(_ name: String, of declaration: EntityDeclaration) -> PropertyDescription? {
    if let own = ownProperties[declaration.name]?[name] { return own }
    return ancestors(of: declaration).lazy.compactMap { ownProperties[$0.name]?[name] }.first
  }

  private static func notStored(_ name: String) -> String {
    "“\(name)” is transient, and nothing that is stored can be derived from it"
  }

  private static func unknown(_ name: String) -> Source {
    .unusable("there is no property “\(name)” to derive it from")
  }
}

extension AttributeType {
  /// Whether values can be summed up.
  fileprivate var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date: true
    default: false
    }
  }

  /// Whether values of another type may become some of this one. Those that do not fit are refused when they are computed.
  fileprivate func holdsDerived(_ other: AttributeType) -> Bool {
    switch other {
    case .boolean: isNumber && self != .date
    case .integer16, .integer32, .integer64, .decimal, .double, .float:
      isNumber && self != .date && self != .boolean
    case .date: self == .date || self == .double
    case .binary, .transformable: [.binary, .transformable].contains(self)
    default: self == other
    }
  }
}
