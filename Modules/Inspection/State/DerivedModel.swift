import ChangeTracking
import ObjectStore

/// A model made of what sets say: the names and kinds of what they mention, and the types of the values.
///
/// Sets do not say which relationships are inverse to each other, what must be unique, what is merged in groups, and whether what was
/// contributed is summed up or compared. A state that is made with such a model shows the registers for themselves.
struct DerivedModel {
  private struct Property {
    var kind: EntityNames.Property.Kind
    /// The time of the latest set that mentions it.
    var time: UInt64
    var type: AttributeType?
    /// The time of the set that told the type.
    var typeTime: UInt64 = 0
    var isOrdered = false
    var isContributed = false
    var formerName: String?

    var isToMany: Bool { if case .toMany = kind { true } else { false } }

    mutating func note(_ other: AttributeType, at time: UInt64) {
      if type == nil || time >= typeTime { (type, typeTime) = (other, time) }
    }

    /// With what is known of the same property under another name or in another entity.
    func joined(with other: Property) -> Property {
      var joined = other.time > time ? other : self
      let rest = other.time > time ? self : other
      if let type = rest.type { joined.note(type, at: rest.typeTime) }
      joined.isOrdered = isOrdered || other.isOrdered
      joined.isContributed = isContributed || other.isContributed
      joined.formerName = joined.formerName ?? rest.formerName
      return joined
    }
  }

  private struct Entity {
    var root: String
    var formerName: String?
    var properties: [String: Property] = [:]
  }

  private var entities: [String: Entity] = [:]
  /// Properties that are kept of one entity at most; SQLite has no room for more columns.
  private static let propertyLimit = 1_000
  private static let entityLimit = 1_000
  /// Properties of all entities together: each costs a column or a table.
  private static let allPropertiesLimit = 20_000
  private var properties = 0
  /// Whether there were more names than that.
  private var isCut = false

  /// Takes up what a set says.
  mutating func add(_ set: ChangeSet) {
    let time = set.changes.lazy.map(\.time.milliseconds).max() ?? 0
    for names in set.entities {
      for name in [names.root, names.name] {
        guard entities[name] == nil else { continue }
        guard entities.count < Self.entityLimit else {
          isCut = true
          continue
        }
        entities[name] = Entity(root: name)
      }
      entities[names.name]?.root = names.root
      if let former = names.formerNames.first, !former.isEmpty { entities[names.name]?.formerName = former }
      for property in names.properties { add(property, to: names.name, at: time) }
    }
    for change in set.changes {
      guard let names = set[change.entity] else { continue }
      add(change, to: names, at: time)
    }
  }

  private mutating func add(_ property: EntityNames.Property, to entity: String, at time: UInt64) {
    guard var known = entities[entity]?.properties[property.name] else {
      guard let count = entities[entity]?.properties.count else { return }
      guard count < Self.propertyLimit, properties < Self.allPropertiesLimit else {
        isCut = true
        return
      }
      properties += 1
      entities[entity]?.properties[property.name] = Property(
        kind: property.kind, time: time, formerName: property.formerNames.first)
      return
    }
    if time >= known.time { (known.kind, known.time) = (property.kind, time) }
    known.formerName = known.formerName ?? property.formerNames.first
    entities[entity]?.properties[property.name] = known
  }

  private mutating func add(_ change: Change, to names: EntityNames, at time: UInt64) {
    func name(_ index: ChangeSet.PropertyIndex) -> String { names[index]?.name ?? "" }
    switch change.action {
    case .insert(let registers), .update(let registers), .clear(let registers):
      for register in registers {
        guard let type = Self.type(of: register.content) else { continue }
        note(type, name(register.property), of: names.name, at: time)
      }
    case .contribute(let index, let value, _):
      entities[names.name]?.properties[name(index)]?.isContributed = true
      if let type = Self.type(of: .value(value)) { note(type, name(index), of: names.name, at: time) }
    case .place(let index, _, isInverse: false, _):
      entities[names.name]?.properties[name(index)]?.isOrdered = true
    case .place, .delete, .link, .unlink: return
    }
  }

  private mutating func note(_ type: AttributeType, _ name: String, of entity: String, at time: UInt64) {
    entities[entity]?.properties[name]?.note(type, at: time)
  }

  private static func type(of content: Register.Content) -> AttributeType? {
    switch content {
    case .target: nil
    case .longValue(let value): value.kind == .text ? .string : .binary
    case .value(let value):
      switch value {
      case .null, .reference: nil
      case .boolean: .boolean
      case .integer: .integer64
      case .double: .double
      case .float: .float
      case .decimal: .decimal
      case .string: .string
      case .date: .date
      case .data: .binary
      case .uuid: .uuid
      case .uri: .uri
      }
    }
  }

  // MARK: The model

  /// Makes the model. What no model can hold is left out and named: names are anybody's.
  func model() throws -> (model: ManagedObjectModel, leftOut: [String]) {
    var declarations = declarations()
    var leftOut =
      isCut ? ["names of entities and properties beyond the first \(Self.allPropertiesLimit)"] : []
    // A column of that name is there already, and it is the one that everything depends on.
    for index in declarations.indices {
      let impostors = declarations[index].properties.map(\.name).filter {
        $0 != SyncModelKey.syncID && $0.lowercased() == SyncModelKey.syncID.lowercased()
      }
      leftOut += impostors.map {
        "\(declarations[index].name).\($0): is named as the identifier is, but for the case"
      }
      declarations[index].properties.removeAll { impostors.contains($0.name) }
    }
    while true {
      do {
        return (try ManagedObjectModel(entities: declarations), leftOut)
      } catch {
        let count = declarations.count + declarations.map(\.properties.count).reduce(0, +)
        let problems = Dictionary(grouping: error.problems, by: \.entity)
        declarations = declarations.compactMap { declaration in
          guard let found = problems[declaration.name] else { return declaration }
          leftOut += found.map(\.description)
          if found.contains(where: { $0.property == nil }) { return nil }
          var rest = declaration
          let names = Set(found.compactMap(\.property))
          rest.properties.removeAll { names.contains($0.name) }
          return rest
        }
        // Each round leaves something out, so this ends.
        let rest = declarations.count + declarations.map(\.properties.count).reduce(0, +)
        guard rest < count else { throw error }
      }
    }
  }

  private func declarations() -> [EntityDeclaration] {
    let lineage = lineage()
    func current(_ name: String) -> String { lineage[name] ?? name }
    var merged: [String: Entity] = [:]
    for (name, entity) in entities.sorted(by: { $0.key < $1.key }) {
      var into = merged[current(name)] ?? Entity(root: current(entity.root))
      if name == current(name) {
        into.root = current(entity.root)
        into.formerName = entity.formerName
      }
      into.properties.merge(entity.properties) { $0.joined(with: $1) }
      merged[current(name)] = into
    }
    // What the root has, others inherit: their objects tell more of it.
    for entity in merged.values {
      for (name, property) in entity.properties {
        guard let known = merged[entity.root]?.properties[name] else { continue }
        merged[entity.root]?.properties[name] = known.joined(with: property)
      }
    }
    return merged.sorted(by: { $0.key < $1.key }).map { name, entity in
      let isRoot = entity.root == name
      let inherited = isRoot ? [:] : merged[entity.root]?.properties ?? [:]
      return declaration(name, entity, inherited: inherited, current)
    }
  }

  /// The present name of each entity that was renamed.
  private func lineage() -> [String: String] {
    var present: [String: String] = [:]
    for (name, entity) in entities { if let former = entity.formerName { present[former] = name } }
    // Chains are followed to their end; a circle, which somebody made up, is left.
    for former in present.keys {
      var (name, steps) = (present[former] ?? former, 0)
      while let next = present[name], next != former, steps < present.count {
        (name, steps) = (next, steps + 1)
      }
      present[former] = name
    }
    return present.filter { $0.key != $0.value && present[$0.value] == nil }
  }

  private func declaration(
    _ name: String, _ entity: Entity, inherited: [String: Property], _ current: (String) -> String
  ) -> EntityDeclaration {
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    let renamed = Set(entity.properties.values.compactMap(\.formerName))
    for (property, known) in entity.properties.sorted(by: { $0.key < $1.key })
    where inherited[property] == nil && !renamed.contains(property) && property != SyncModelKey.syncID {
      let former = known.formerName.flatMap { $0.isEmpty ? nil : $0 }
      switch known.kind {
      case .attribute:
        attributes.append(
          AttributeDescription(
            property, known.type ?? .string,
            defaultValue: known.isContributed ? Self.zero(known.type) : .null,
            renamingIdentifier: former,
            userInfo: known.isContributed ? .merging(Self.fold(known.type)) : [:]))
      case .toOne(let destination), .toMany(let destination):
        relationships.append(
          RelationshipDescription(
            property, to: current(destination), inverse: nil, isToMany: known.isToMany,
            isOrdered: known.isToMany && known.isOrdered, renamingIdentifier: former))
      }
    }
    let isRoot = entity.root == name
    if isRoot { attributes.append(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)) }
    return EntityDeclaration(
      name, parent: isRoot ? nil : entity.root, attributes: attributes, relationships: relationships,
      renamingIdentifier: entity.formerName)
  }

  /// What nobody has counted shows. With what value an application begins to count, sets do not say.
  private static func zero(_ type: AttributeType?) -> AttributeValue {
    switch type {
    case .integer64: .integer(0)
    case .decimal: .decimal(0)
    case .double: .double(0)
    case .float: .float(0)
    default: .null
    }
  }

  /// What several devices contributed to a number is taken for what they counted.
  private static func fold(_ type: AttributeType?) -> MergeKind {
    switch type {
    case .integer64, .decimal, .double, .float: .counter
    default: .greatest
    }
  }
}
