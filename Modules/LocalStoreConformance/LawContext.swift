import ChangeTracking
import ObjectStore
import TICDSSQLite

/// What a law works with: an empty store, and what its schema offers.
struct LawContext {
  let storage: ConformanceStore
  private let makeStore: () throws -> ConformanceStore

  var store: any LocalStore { storage.store }

  init(makeStore: @escaping () throws -> ConformanceStore) throws {
    self.makeStore = makeStore
    storage = try makeStore()
  }

  /// The same with another empty store.
  func anotherStore() throws -> LawContext { try LawContext(makeStore: makeStore) }

  // MARK: The schema

  /// A property with its entity.
  struct Place: Hashable, CustomStringConvertible {
    var entity: LocalEntity
    var property: LocalProperty
    var name: String
    var description: String { name }
  }

  /// Entities of which there may be rows.
  var entities: [LocalEntity] {
    store.schema.entities.indices.map(LocalEntity.init(rawValue:)).filter {
      !storage.abstractEntities.contains(store.schema[$0].name)
    }
  }

  /// The properties of some kind, of all entities of which there may be rows.
  func places(where isWanted: (SyncSchema.Property) -> Bool) -> [Place] {
    entities.flatMap { entity in
      store.schema[entity].properties.enumerated().filter { isWanted($1) }.map { index, property in
        Place(
          entity: entity, property: LocalProperty(rawValue: index),
          name: "\(store.schema[entity].name).\(property.name)")
      }
    }
  }

  /// The attributes.
  var attributes: [Place] { places { if case .attribute = $0.kind { true } else { false } } }

  /// The to-one relationships, those that are their own inverse among them, with the roots that they lead to.
  func toOnes() throws -> [(place: Place, destination: String)] {
    let found = places { _ in true }.compactMap { place in
      switch schema(place).kind {
      case .toOne(let destination, _), .partner(let destination): (place, destination)
      case .attribute, .toMany: nil
      }
    }
    return try some(found, "to-one relationships")
  }

  /// The to-many relationships, with the roots that they lead to.
  func toManys() throws -> [(place: Place, destination: String, isSymmetric: Bool)] {
    let found = places { if case .toMany = $0.kind { true } else { false } }.compactMap { place in
      if case .toMany(let destination, let isSymmetric) = schema(place).kind {
        (place, destination, isSymmetric)
      } else {
        nil
      }
    }
    return try some(found, "to-many relationships")
  }

  /// Whether no two rows may show one value of an attribute.
  func isUnique(_ place: Place) -> Bool {
    store.schema[place.entity].uniqueness.contains { $0.contains(place.property) }
  }

  func schema(_ place: Place) -> SyncSchema.Property { store.schema[place.entity][place.property] }

  /// The entities of which targets of a relationship may be.
  func targets(of place: Place) throws -> [LocalEntity] {
    guard let root = schema(place).kind.destination else { return [] }
    let admitted = schema(place).targets
    let found = entities.filter {
      store.schema[$0].root == root && admitted?.contains(store.schema[$0].name) ?? true
    }
    if found.isEmpty { throw StoreConformanceFailure(description: "No row can be a target of \(place).") }
    return found
  }

  /// An entity of which there may be rows, of a root or below it.
  func entity(below root: String) throws -> LocalEntity {
    guard let entity = entities.first(where: { store.schema[$0].root == root }) else {
      throw StoreConformanceFailure(description: "The schema has no entity below \(root).")
    }
    return entity
  }

  /// The elements; skips the law if there are none.
  func some<Element>(_ elements: [Element], _ what: String) throws -> [Element] {
    if elements.isEmpty { throw LawSkipped(reason: "the store has no \(what)") }
    return elements
  }

  // MARK: Values

  /// What an attribute can hold, of everything that the suite can think of.
  func values(for place: Place) -> [AttributeValue] {
    SampleValues.all.filter { store.canHold($0, place.entity, place.property) }
  }

  /// Two different values of an attribute; `nil` if it holds none.
  func twoValues(for place: Place) -> (AttributeValue, AttributeValue)? {
    let values = values(for: place)
    guard let first = values.first, let last = values.last, first != last else { return nil }
    return (first, last)
  }

  // MARK: Rows

  /// The root below which a row is.
  func root(of row: RowReference) -> String { store.schema[row.entity].root }

  /// A transaction as the engine makes one.
  func transaction<R>(_ body: () throws -> R) throws -> R {
    try store.connection.transaction {
      store.transactionDidBegin()
      return try body()
    }
  }

  /// A row of an entity with values that no constraint forbids.
  func insert(_ entity: LocalEntity, _ syncID: SyncID, _ values: [PropertyValue] = []) throws -> RowReference
  {
    RowReference(entity: entity, row: try store.insertRow(entity, syncID: syncID, values: values))
  }

  /// What a row holds for one property.
  func content(_ row: RowReference, _ property: LocalProperty) throws -> StoredContent {
    guard let stored = try store.readRow(row, [property]) else {
      throw StoreConformanceFailure(description: "Row \(row.row.rawValue) is not there.")
    }
    guard stored.contents.count == 1 else {
      throw StoreConformanceFailure(
        description: "Of one property that was asked for, \(stored.contents.count) contents came.")
    }
    return stored.contents[0]
  }

  func target(of row: RowReference, _ property: LocalProperty) throws -> RowNumber? {
    guard case .target(let target) = try content(row, property) else {
      throw StoreConformanceFailure(description: "A to-one relationship does not show a target.")
    }
    return target
  }

  // MARK: Expectations

  func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw StoreConformanceFailure(description: otherwise()) }
  }

  /// A sync ID that is like no other.
  static func syncID(_ number: Int) -> SyncID { SyncID("conformance-\(number)") }
}
