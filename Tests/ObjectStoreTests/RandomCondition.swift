import ObjectStore

/// A condition that a test makes up: as a predicate of the library, and as a plain function of a reference graph.
indirect enum RandomCondition {
  enum Comparison: CaseIterable { case equal, notEqual, less, greaterOrEqual }
  enum Quantifier: CaseIterable { case any, all, none }

  case compare(path: [String], Comparison, AttributeValue)
  case among(path: [String], [AttributeValue])
  case sum(path: [String], plus: Int64, isGreaterThan: Int64)
  case isNull(path: [String])
  case related(path: [String], Quantifier, RandomCondition)
  case count(path: [String], RandomCondition?, Comparison, Int)
  case all([RandomCondition])
  case any([RandomCondition])
  case not(RandomCondition)

  typealias Predicate = FetchPredicate<ManagedObject>
  typealias Expression<Value> = FetchExpression<ManagedObject, Value>

  var predicate: Predicate {
    switch self {
    case .compare(let path, let comparison, let value):
      let left = Expression<AttributeValue>.property(Self.name(path))
      return switch comparison {
      case .equal: left == value
      case .notEqual: left != value
      case .less: left < value
      case .greaterOrEqual: left >= value
      }
    case .among(let path, let values): return .property(Self.name(path), isAmong: values)
    case .sum(let path, let addend, let bound):
      return Expression<AttributeValue>.property(Self.name(path)) + .integer(addend) > .integer(bound)
    case .isNull(let path): return .property(Self.name(path), equals: .null)
    case .related(let path, let quantifier, let condition):
      let name = Self.name(path)
      return switch quantifier {
      case .any: .any(name, where: condition.predicate)
      case .all: .all(name, where: condition.predicate)
      case .none: .none(name, where: condition.predicate)
      }
    case .count(let path, let condition, let comparison, let number):
      let count = Expression<Int>.count(Self.name(path), where: condition?.predicate)
      return switch comparison {
      case .equal: count == number
      case .notEqual: count != number
      case .less: count < number
      case .greaterOrEqual: count >= number
      }
    case .all(let parts): return parts.map(\.predicate).reduce(.all) { $0 && $1 }
    case .any(let parts): return parts.map(\.predicate).reduce(Predicate.none) { $0 || $1 }
    case .not(let part): return !part.predicate
    }
  }

  private static func name(_ path: [String]) -> PropertyName { PropertyName(path.joined(separator: ".")) }

  // MARK: - Making one up

  static func random(
    _ entity: EntityDescription, in model: ManagedObjectModel, depth: Int, using random: inout SeededGenerator
  ) -> RandomCondition {
    switch Int.random(in: 0..<(depth == 0 ? 3 : 9), using: &random) {
    case 3, 4, 5:
      if let (path, destination) = relationship(entity, in: model, isToMany: true, using: &random) {
        let condition = self.random(destination, in: model, depth: depth - 1, using: &random)
        let quantifier = Quantifier.allCases[Int.random(in: 0..<3, using: &random)]
        if Bool.random(using: &random) { return .related(path: path, quantifier, condition) }
        return .count(
          path: path, Bool.random(using: &random) ? condition : nil,
          Comparison.allCases[Int.random(in: 0..<4, using: &random)], Int.random(in: 0..<3, using: &random))
      }
    case 6, 7, 8:
      let parts = (0..<2).map { _ in self.random(entity, in: model, depth: depth - 1, using: &random) }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .all(parts)
      case 1: return .any(parts)
      default: return .not(parts[0])
      }
    default: break
    }
    return test(entity, in: model, using: &random)
  }

  private static func test(
    _ entity: EntityDescription, in model: ManagedObjectModel, using random: inout SeededGenerator
  ) -> RandomCondition {
    var (path, owner) = ([String](), entity)
    if Bool.random(using: &random),
      let step = relationship(entity, in: model, isToMany: false, using: &random)
    {
      (path, owner) = step
      if Int.random(in: 0..<4, using: &random) == 0 { return .isNull(path: path) }
    }
    // Every entity that is a root has an attribute, and those that inherit have it too.
    let attributes = owner.properties.compactMap(\.asAttribute)
    let attribute = attributes[Int.random(in: 0..<attributes.count, using: &random)]
    path.append(attribute.name)
    let value = ManagedObjectModel.value(of: attribute.type, using: &random)
    if [.integer16, .integer32].contains(attribute.type), Bool.random(using: &random),
      case .integer(let bound) = value
    {
      return .sum(path: path, plus: Int64.random(in: -9...9, using: &random), isGreaterThan: bound)
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      // A few are gone through, many are sorted out first.
      let count = [0, 1, 3, 100].randomElement(using: &random) ?? 0
      return .among(
        path: path,
        (0..<count).map { _ in
          Int.random(in: 0..<20, using: &random) == 0
            ? .null : ManagedObjectModel.value(of: attribute.type, using: &random)
        })
    }
    return .compare(path: path, Comparison.allCases[Int.random(in: 0..<4, using: &random)], value)
  }

  private static func relationship(
    _ entity: EntityDescription, in model: ManagedObjectModel, isToMany: Bool,
    using random: inout SeededGenerator
  ) -> ([String], EntityDescription)? {
    let relationships = entity.properties.compactMap(\.asRelationship).filter { $0.isToMany == isToMany }
    guard let relationship = relationships.randomElement(using: &random),
      let destination = model.entity(named: relationship.destination)
    else { return nil }
    return ([relationship.name], destination)
  }
}

// MARK: - What it means

extension ReferenceGraph {
  /// Whether a condition holds for a node, decided by going through the graph.
  func holds(_ condition: RandomCondition, for node: Int) -> Bool {
    switch condition {
    case .compare(let path, let comparison, let wanted):
      let value = value(path, of: node)
      switch comparison {
      case .equal: return Self.order(value, wanted) == 0 || value.isNull && wanted.isNull
      case .notEqual: return !(Self.order(value, wanted) == 0 || value.isNull && wanted.isNull)
      case .less: return Self.order(value, wanted).map { $0 < 0 } ?? false
      case .greaterOrEqual: return Self.order(value, wanted).map { $0 >= 0 } ?? false
      }
    case .among(let path, let wanted):
      let value = value(path, of: node)
      return wanted.contains { Self.order(value, $0) == 0 || value.isNull && $0.isNull }
    case .sum(let path, let addend, let bound):
      guard case .integer(let number) = value(path, of: node) else { return false }
      return number + addend > bound
    case .isNull(let path): return related(path[0], of: node).isEmpty
    case .related(let path, let quantifier, let condition):
      let members = related(path[0], of: node)
      switch quantifier {
      case .any: return members.contains { holds(condition, for: $0) }
      case .all: return members.allSatisfy { holds(condition, for: $0) }
      case .none: return !members.contains { holds(condition, for: $0) }
      }
    case .count(let path, let condition, let comparison, let number):
      let count = related(path[0], of: node).count { member in
        condition.map { holds($0, for: member) } ?? true
      }
      switch comparison {
      case .equal: return count == number
      case .notEqual: return count != number
      case .less: return count < number
      case .greaterOrEqual: return count >= number
      }
    case .all(let parts): return parts.allSatisfy { holds($0, for: node) }
    case .any(let parts): return parts.contains { holds($0, for: node) }
    case .not(let part): return !holds(part, for: node)
    }
  }

  private func related(_ name: String, of node: Int) -> [Int] { nodes[node]?.related[name] ?? [] }

  private func value(_ path: [String], of node: Int) -> AttributeValue {
    if path.count == 1 { return nodes[node]?.values[path[0]] ?? .null }
    guard let target = related(path[0], of: node).first else { return .null }
    return value(Array(path.dropFirst()), of: target)
  }

  /// Less than 0, 0, or greater than 0; `nil` for what cannot be compared.
  private static func order(_ left: AttributeValue, _ right: AttributeValue) -> Int? {
    func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
      left < right ? -1 : left == right ? 0 : 1
    }
    func order(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
      left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }
    return switch (left, right) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.double(let left), .double(let right)), (.date(let left), .date(let right)): order(left, right)
    case (.float(let left), .float(let right)): order(left, right)
    case (.decimal(let left), .decimal(let right)): order(left, right)
    case (.boolean(let left), .boolean(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
      order(left.utf8, right.utf8)
    case (.data(let left), .data(let right)): order(left, right)
    case (.uuid(let left), .uuid(let right)):
      withUnsafeBytes(of: left.uuid) { left in withUnsafeBytes(of: right.uuid) { order(left, $0) } }
    default: nil
    }
  }
}
