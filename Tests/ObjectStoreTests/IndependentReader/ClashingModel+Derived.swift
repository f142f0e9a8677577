import ObjectStore

/// Draws derived attributes of every kind, of all types that such a value may have.
extension ClashingModel {
  private enum Kind {
    case copy, text, relatedCopy, relatedText, count, sum, average, bound, now

    static let derived: [Kind] = [.copy, .text, .relatedCopy, .relatedText, .count, .sum, .average, .bound]
  }

  mutating func addDerivedAttributes(to index: Int) {
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      // Many a kind finds nothing in an entity that it could be derived from.
      for kind in chance(9) ? [.now] : Kind.derived.shuffled(using: &random) {
        guard let (derivation, type) = derivation(of: kind, for: index) else { continue }
        guard let name = freeName(for: index) else { return }
        entities[index].properties.append(
          .attribute(AttributeDescription(name, type, derivation: derivation)))
        break
      }
    }
  }

  private mutating func derivation(of kind: Kind, for index: Int) -> (String, AttributeType)? {
    switch kind {
    case .now: return ("now:()", .date)
    case .copy: return copy(of: source(in: index), through: "")
    case .text: return text(of: source(in: index, where: \.isText), through: "")
    case .relatedCopy, .relatedText:
      guard let one = path(from: index, isToMany: false) else { return nil }
      return kind == .relatedCopy
        ? copy(of: source(in: one.destination), through: one.names + ".")
        : text(of: source(in: one.destination, where: \.isText), through: one.names + ".")
    case .count:
      return path(from: index, isToMany: true).map { ("\($0.names).@count", wholeType()) }
    case .sum, .average, .bound:
      guard let many = path(from: index, isToMany: true) else { return nil }
      return aggregate(kind, over: many)
    }
  }

  private mutating func copy(of source: AttributeDescription?, through path: String) -> (
    String, AttributeType
  )? {
    source.map { (path + $0.name, chance(2) ? $0.type : wider($0.type)) }
  }

  private mutating func text(of source: AttributeDescription?, through path: String) -> (
    String, AttributeType
  )? {
    guard let source, let function = ["canonical", "lowercase", "uppercase"].randomElement(using: &random)
    else { return nil }
    return ("\(function):(\(path)\(source.name))", .string)
  }

  private mutating func aggregate(_ kind: Kind, over many: (names: String, destination: Int)) -> (
    String, AttributeType
  )? {
    if kind == .bound {
      return source(in: many.destination, where: \.isComparable).map {
        ("\(many.names).@\(chance(2) ? "min" : "max").\($0.name)", chance(2) ? $0.type : wider($0.type))
      }
    }
    return source(in: many.destination, where: \.isSummand).map {
      kind == .sum
        ? ("\(many.names).@sum.\($0.name)", typeOfSum($0.type))
        : ("\(many.names).@avg.\($0.name)", typeOfAverage($0.type))
    }
  }

  // MARK: - Sources

  /// What an entity has, or inherits, that something can be derived from.
  private mutating func source(
    in index: Int, where isFit: (AttributeDescription) -> Bool = { _ in true }
  ) -> AttributeDescription? {
    properties(of: index).compactMap(\.asAttribute)
      .filter { !$0.isTransient && !$0.allowsExternalStorage && isFit($0) }
      .randomElement(using: &random)
  }

  /// A relationship, or one behind another, by whose way back changes at its other end are known.
  private mutating func path(from index: Int, isToMany: Bool) -> (names: String, destination: Int)? {
    if chance(3), let first = relationship(of: index, isToMany: false),
      let second = relationship(of: first.destination, isToMany: isToMany)
    {
      return ("\(first.names).\(second.names)", second.destination)
    }
    return relationship(of: index, isToMany: isToMany)
  }

  private mutating func relationship(of index: Int, isToMany: Bool) -> (names: String, destination: Int)? {
    guard
      let one = properties(of: index).compactMap(\.asRelationship)
        .filter({ $0.inverse != nil && $0.isToMany == isToMany }).randomElement(using: &random),
      let destination = entities.firstIndex(where: { $0.name == one.destination })
    else { return nil }
    return (one.name, destination)
  }

  // MARK: - Types

  private mutating func wholeType() -> AttributeType {
    [.integer16, .integer32, .integer64].randomElement(using: &random) ?? .integer64
  }

  /// One of the types that have a place for all values of a type, be they rounded.
  private mutating func wider(_ type: AttributeType) -> AttributeType {
    let types: [AttributeType] =
      switch type {
      case .boolean: [.integer16, .double]
      case .integer16: [.integer32, .integer64, .float, .double, .decimal]
      case .integer32: [.integer64, .double, .decimal]
      case .integer64: [.double, .decimal]
      case .decimal, .float: [.double]
      default: [type]
      }
    return types.randomElement(using: &random) ?? type
  }

  private mutating func typeOfSum(_ type: AttributeType) -> AttributeType {
    [.boolean, .integer16, .integer32].contains(type) && chance(2) ? .integer64 : typeOfAverage(type)
  }

  /// No decimal holds all that real numbers may add up to.
  private mutating func typeOfAverage(_ type: AttributeType) -> AttributeType {
    let types: [AttributeType] = [.double, .float].contains(type) ? [.double] : [.double, .decimal]
    return types.randomElement(using: &random) ?? .double
  }
}

extension AttributeDescription {
  fileprivate var isText: Bool { type == .string }
  /// Numbers of 64 bits are left out, of which few have a sum that fits.
  fileprivate var isSummand: Bool {
    [.boolean, .integer16, .integer32, .decimal, .double, .float].contains(type)
  }
  fileprivate var isComparable: Bool {
    [.integer16, .integer32, .integer64, .decimal, .double, .float, .date, .string, .uri, .boolean].contains(
      type)
  }
}
