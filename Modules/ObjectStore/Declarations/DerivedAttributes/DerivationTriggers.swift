/// The triggers by which Core Data keeps derived attributes right in the store itself.
///
/// Counts, and paths through a relationship to one object, are as published stores have them. What stands under *without a specimen*
/// is written as the framework is described to write it.
struct DerivationTriggers {
  let schema: StoreSchema
  /// Whether the triggers of an entity with sub-entities but without parent name its numbers, too, as those of framework 1044 did.
  var restrictsRoots = false

  /// The triggers of all derived attributes, each at the entity that declares it; none for a derivation that Core Data refuses.
  func all() -> [(property: StoreNames.Property, triggers: [Trigger])] {
    schema.model.entities.flatMap { entity in
      zip(entity.properties, schema.table(of: entity).storage).compactMap { property, storage in
        guard entity.ownPropertyNames.contains(property.name), let attribute = property.asAttribute,
          let derivation = attribute.parsedDerivation,
          case .attribute(let column, _) = storage,
          let triggers = Maker(
            schema: schema, entity: entity, attribute: attribute.name, column: column,
            restrictsRoots: restrictsRoots
          ).triggers(derivation)
        else { return nil }
        return (StoreNames.Property(entity: entity.index, name: attribute.name), triggers)
      }
    }
  }

  struct Trigger {
    let name: String
    /// What follows the name in `CREATE TRIGGER`.
    let body: String

    var statement: String { "CREATE TRIGGER \(quote(name)) \(body)" }
  }
}

/// Makes the triggers of one attribute.
private struct Maker {
  typealias Trigger = DerivationTriggers.Trigger

  let schema: StoreSchema
  let entity: EntityDescription
  let attribute: String
  let column: String
  let restrictsRoots: Bool

  private var table: String { quote(schema.table(of: entity).name) }
  private var target: String { quote(column) }

  func triggers(_ derivation: Derivation) -> [Trigger]? {
    switch derivation.kind {
    case .now: own(column: "Z_OPT", value: "NSCoreDataNow()")
    case .path(let names, let function):
      names.count == 1
        ? ownColumn(names[0]).map { own(column: $0, value: Self.call(function, "NEW.\($0)")) }
        : names.count == 2 ? related(names[0], names[1], function) : nil
    case .aggregate(let function, let members, let attribute):
      members.count == 1 ? aggregate(function, members[0], attribute) : nil
    }
  }

  // MARK: Parts

  private func condition(of entity: EntityDescription, _ row: String) -> String? {
    let isRestricted = entity.parent != nil || restrictsRoots && !entity.subentityIndices.isEmpty
    guard isRestricted else { return nil }
    let numbers = entity.familyIndices.map { schema.tables[$0].number }
    guard let low = numbers.min(), let high = numbers.max() else { return nil }
    return low == high ? "\(low) = \(row)Z_ENT" : "\(low) <= \(row)Z_ENT AND \(row)Z_ENT <= \(high)"
  }

  private var and: String { condition(of: entity, "").map { " AND \($0)" } ?? "" }
  private var andNew: String { condition(of: entity, "NEW.").map { " AND \($0)" } ?? "" }
  private var when: String { condition(of: entity, "NEW.").map { " WHEN \($0)" } ?? "" }

  private func told(_ function: String, where condition: String) -> String {
    "SELECT \(function)('\(schema.table(of: entity).name)', Z_ENT, Z_PK, '\(attribute)', \(target)) "
      + "FROM \(table) WHERE \(condition);"
  }

  private func updated(where condition: String) -> String {
    told("NSCoreDataDATriggerUpdatedAffectedObjectValue", where: condition)
  }

  private func inserted(where condition: String) -> String {
    told("NSCoreDataDATriggerInsertUpdatedAffectedObjectValue", where: condition)
  }

  private func set(_ value: String, where condition: String) -> String {
    "UPDATE \(table) SET \(target) = \(value) WHERE \(condition);"
  }

  private func trigger(
    _ table: String, _ kind: String, _ event: String, when: String = "", _ steps: String...
  )
    -> Trigger
  {
    Trigger(
      name: "Z_DA_\(table)_\(entity.name)_\(attribute)_\(kind)",
      body: "AFTER \(event) ON \(quote(table)) FOR EACH ROW\(when) BEGIN \(steps.joined(separator: " ")) END")
  }

  private static func call(_ function: TextFunction?, _ value: String) -> String {
    switch function {
    case .canonical?: "NSCoreDataCanonical(\(value))"
    case .uppercased?: "NSCoreDataToUpper(\(value))"
    case .lowercased?: "NSCoreDataToLower(\(value))"
    case .length?, .naturalOrder?, nil: value
    }
  }

  private func ownColumn(_ name: String) -> String? {
    entity.index(of: name).flatMap { columnOfAttribute($0, in: entity) }
  }

  private func columnOfAttribute(_ index: Int, in entity: EntityDescription) -> String? {
    guard case .attribute(let column, _) = schema.table(of: entity).storage[index] else { return nil }
    return quote(column)
  }

  // MARK: Kinds with a specimen

  /// A path through a relationship to one object.
  private func related(_ relationship: String, _ name: String, _ function: TextFunction?) -> [Trigger]? {
    guard let index = entity.index(of: relationship), let description = entity.relationship(at: index),
      case .toOne(let columns) = schema.table(of: entity).storage[index]
    else { return nil }
    let destination = schema.model.entities[description.destinationIndex]
    guard let value = destination.index(of: name).flatMap({ columnOfAttribute($0, in: destination) }) else {
      return nil
    }
    let (own, other) = (schema.table(of: entity).name, schema.table(of: destination).name)
    let key = quote(columns.key)
    let read = "(SELECT \(Self.call(function, value)) FROM \(quote(other)) WHERE Z_PK = NEW.\(key))"
    let new = Self.call(function, "NEW.\(value)")
    return [
      trigger(
        own, "SOURCE_INSERT", "INSERT", set(read, where: "Z_PK = NEW.Z_PK\(andNew)"),
        inserted(where: "Z_PK = NEW.Z_PK\(andNew)")),
      trigger(
        own, "SOURCE_UPDATE", "UPDATE OF \(key)", when: when, set(read, where: "Z_PK = NEW.Z_PK"),
        updated(where: "Z_PK = NEW.Z_PK")),
      trigger(
        other, "PARAMETER_INSERT", "INSERT", set(new, where: "\(key) = NEW.Z_PK\(and)"),
        inserted(where: "\(key) = NEW.Z_PK\(and)")),
      trigger(
        other, "PARAMETER_UPDATE", "UPDATE OF \(value)", set(new, where: "\(key) = NEW.Z_PK\(and)"),
        updated(where: "\(key) = NEW.Z_PK\(and)")),
    ]
  }

  private func aggregate(_ function: AggregateFunction, _ members: String, _ name: String?) -> [Trigger]? {
    guard let index = entity.index(of: members), let relationship = entity.relationship(at: index) else {
      return nil
    }
    let destination = schema.model.entities[relationship.destinationIndex]
    let (table, key): (String, String)
    var isJoin = false
    switch schema.table(of: entity).storage[index] {
    case .inverse(let other, let property):
      guard case .toOne(let columns) = schema.tables[other].storage[property] else { return nil }
      (table, key) = (schema.tables[other].name, quote(columns.key))
    case .join(let side):
      (table, key) = (side.table.name, quote(side.ownColumn))
      isJoin = !side.table.isInTarget
    case .memory, .attribute, .toOne: return nil
    }
    if isJoin { return function == .count ? linkCount(table, key) : nil }
    let value = name.flatMap { destination.index(of: $0) }.flatMap { columnOfAttribute($0, in: destination) }
    switch (function, value) {
    case (.count, _): return total(table, key, "COUNT(\(key))", nil)
    case (.sum, let value?): return total(table, key, "SUM(\(value))", value)
    case (.minimum, let value?): return bound(table, key, value, "MIN", "<", destination)
    case (.maximum, let value?): return bound(table, key, value, "MAX", ">", destination)
    case (.average, _), (_, nil): return nil
    }
  }

  /// A count, or a sum of the column `value`, which goes by what each row adds.
  private func total(_ other: String, _ key: String, _ all: String, _ value: String?) -> [Trigger] {
    let own = schema.table(of: entity).name
    let columns = ([key] + (value.map { [$0] } ?? [])).joined(separator: ", ")
    func change(_ kind: String, _ event: String, _ row: String, _ sign: String, from current: String)
      -> Trigger
    {
      let amount = value.map { "IFNULL(\(row).\($0), 0)" } ?? "1"
      return trigger(
        other, "PARAMETER_\(kind)", event, when: " WHEN (\(row).\(key) NOT NULL)",
        set("\(current) \(sign) \(amount)", where: "Z_PK = \(row).\(key)\(and)"),
        updated(where: "Z_PK = \(row).\(key)\(and)"))
    }
    let changes = [
      change("INSERT", "INSERT", "NEW", "+", from: "IFNULL(\(target), 0)"),
      change("UPDATE_INCREMENT", "UPDATE OF \(columns)", "NEW", "+", from: target),
      change("UPDATE_DECREMENT", "UPDATE OF \(columns)", "OLD", "-", from: target),
      change("DELETE", "DELETE", "OLD", "-", from: target),
    ]
    let ofItself = trigger(
      own, "SOURCE_INSERT", "INSERT", when: when,
      set(
        "(SELECT IFNULL(\(all), 0) FROM \(quote(other)) WHERE \(key) = NEW.Z_PK)", where: "Z_PK = NEW.Z_PK"),
      inserted(where: "Z_PK = NEW.Z_PK"))
    // SQLite runs the newest trigger first. A row that is a member of itself would be counted as it is and once more as a member,
    // unless what counts all comes last.
    return other == own ? [ofItself] + changes : changes + [ofItself]
  }

  // MARK: Kinds without a specimen

  private func linkCount(_ join: String, _ key: String) -> [Trigger] {
    [
      trigger(
        join, "PARAMETER_INSERT", "INSERT", set("IFNULL(\(target), 0) + 1", where: "Z_PK = NEW.\(key)\(and)"),
        updated(where: "Z_PK = NEW.\(key)\(and)")),
      trigger(
        join, "PARAMETER_DELETE", "DELETE", set("\(target) - 1", where: "Z_PK = OLD.\(key)\(and)"),
        updated(where: "Z_PK = OLD.\(key)\(and)")),
      trigger(
        schema.table(of: entity).name, "SOURCE_INSERT", "INSERT", when: when,
        set(
          "(SELECT IFNULL(COUNT(\(key)), 0) FROM \(quote(join)) WHERE \(key) = NEW.Z_PK)",
          where: "Z_PK = NEW.Z_PK"),
        updated(where: "Z_PK = NEW.Z_PK")),
    ]
  }

  /// What follows from the object itself.
  private func own(column: String, value: String) -> [Trigger] {
    let own = schema.table(of: entity).name
    return [
      trigger(
        own, "INSERT", "INSERT", when: " WHEN (NEW.\(column) NOT NULL)", set(value, where: "Z_PK = NEW.Z_PK"),
        inserted(where: "Z_PK = NEW.Z_PK")),
      trigger(
        own, "UPDATE", "UPDATE OF \(column)", set(value, where: "Z_PK = NEW.Z_PK"),
        updated(where: "Z_PK = NEW.Z_PK")),
    ]
  }

  /// The least or greatest value.
  private func bound(
    _ other: String, _ key: String, _ value: String, _ function: String, _ sign: String,
    _ destination: EntityDescription
  ) -> [Trigger] {
    func kind(_ row: String) -> String { condition(of: destination, "\(row).").map { " AND \($0)" } ?? "" }
    func all(_ owner: String) -> String {
      "(SELECT \(function)(\(value)) FROM \(quote(other)) WHERE \(key) = \(owner))"
    }
    let isBetter = "(\(target) IS NULL OR NEW.\(value) \(sign) \(target))"
    let again = set(all("OLD.\(key)"), where: "Z_PK = OLD.\(key)\(and) AND OLD.\(value) \(sign)= \(target)")
    let left = updated(
      where: "Z_PK = OLD.\(key)\(and) AND (\(target) IS NULL OR OLD.\(value) \(sign)= \(target))")
    let own = schema.table(of: entity).name
    let ofMember = set("NEW.\(value)", where: "Z_PK = NEW.\(key)\(and) AND \(isBetter)")
    let toldOfMember = updated(
      where: "Z_PK = NEW.\(key)\(and) AND (\(target) IS NULL OR NEW.\(value) \(sign)= \(target))")
    let ofItself = set(all("NEW.Z_PK"), where: "Z_PK = NEW.Z_PK")
    let toldOfItself = inserted(where: "Z_PK = NEW.Z_PK")
    let whenMember = " WHEN (NEW.\(key) NOT NULL AND NEW.\(value) NOT NULL\(kind("NEW")))"
    // Where members lie in the object's own table both triggers have one name. One then does the work of both, so its conditions move
    // to where they concern one of them; a missing key or value is no better than any.
    let insertions =
      other == own
      ? [
        trigger(
          own, "INSERT", "INSERT",
          set(
            "NEW.\(value)",
            where: "Z_PK = NEW.\(key)\(and) AND \(isBetter) AND NEW.\(value) NOT NULL\(kind("NEW"))"),
          toldOfMember, set(all("NEW.Z_PK"), where: "Z_PK = NEW.Z_PK\(and)"), toldOfItself)
      ]
      : [
        trigger(other, "INSERT", "INSERT", when: whenMember, ofMember, toldOfMember),
        trigger(own, "INSERT", "INSERT", when: when, ofItself, toldOfItself),
      ]
    return insertions + [
      trigger(
        other, "UPDATE_SET", "UPDATE OF \(key), \(value)",
        when: whenMember, again,
        updated(where: "Z_PK = OLD.\(key)\(and) AND OLD.\(value) \(sign)= \(target)"),
        ofMember, updated(where: "Z_PK = NEW.\(key)\(and) AND NEW.\(value) \(sign)= \(target)")),
      trigger(
        other, "UPDATE_UNSET", "UPDATE OF \(key), \(value)",
        when:
          " WHEN (OLD.\(key) NOT NULL AND OLD.\(value) NOT NULL AND (NEW.\(key) IS NULL OR NEW.\(value) IS NULL)\(kind("OLD")))",
        again, left),
      trigger(
        other, "DELETE", "DELETE",
        when: " WHEN (OLD.\(key) NOT NULL AND OLD.\(value) NOT NULL\(kind("OLD")))", again,
        left),
    ]
  }
}
