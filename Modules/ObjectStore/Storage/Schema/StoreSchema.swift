/// Where each property of a model is kept in the tables of one store file.
///
/// The names follow Core Data: a table `Z<ROOT ENTITY>` for all entities that share a root, a column `Z<PROPERTY>` for every
/// stored attribute and to-one relationship, a table `Z_<n><RELATIONSHIP>` for every many-to-many relationship.
public final class StoreSchema: Sendable {
  /// The model that is stored.
  public let model: ManagedObjectModel
  /// One per entity, by the entity's index.
  public let tables: [EntityTable]
  /// The tables of the many-to-many relationships, each once.
  public let joins: [JoinTable]
  /// Where long values are kept; `nil` if rows are read and written as they are.
  let externalValues: ExternalValues?
  /// Derived attributes, at the entities that declare them, which triggers of the store keep right: nobody else writes them.
  let triggered: Set<StoreNames.Property>

  init(
    model: ManagedObjectModel, tables: [EntityTable], joins: [JoinTable],
    externalValues: ExternalValues? = nil, triggered: Set<StoreNames.Property> = []
  ) {
    self.triggered = triggered
    self.model = model
    self.tables = tables
    self.joins = joins
    self.externalValues = externalValues
  }

  /// The same layout with triggers.
  func with(triggered: Set<StoreNames.Property>) -> StoreSchema {
    StoreSchema(
      model: model, tables: tables, joins: joins, externalValues: externalValues, triggered: triggered)
  }

  /// Whether triggers of the store keep an attribute right.
  func isTriggered(_ index: Int, of entity: EntityDescription) -> Bool {
    guard !triggered.isEmpty, let name = entity.attribute(at: index)?.name else { return false }
    return sequence(first: entity, next: \.parent).contains {
      triggered.contains(StoreNames.Property(entity: $0.index, name: name))
    }
  }

  /// The table of an entity.
  public func table(of entity: EntityDescription) -> EntityTable { tables[entity.index] }

  /// The entity with a number, as it stands in the column `Z_ENT`.
  public func entity(numbered number: Int64) -> EntityDescription? {
    // Numbers are the indices plus one, unless another program numbered them.
    let guess = Int(clamping: number &- 1)
    if tables.indices.contains(guess), tables[guess].number == number { return model.entities[guess] }
    return tables.firstIndex { $0.number == number }.map { model.entities[$0] }
  }
}

/// Where an entity's objects are kept.
public struct EntityTable: Sendable, Hashable {
  /// The entity's number in this store, as it stands in `Z_ENT`.
  public let number: Int64
  /// Name of the table, shared with all entities of the same root.
  public let name: String
  /// Number of the root entity, which counts the keys of the table.
  public let rootNumber: Int64
  /// Whether rows of other entities are in the table too.
  public let isShared: Bool
  /// One per property, by the property's index.
  public let storage: [PropertyStorage]
}

/// Where a property is kept.
public enum PropertyStorage: Sendable, Hashable {
  /// Nowhere: it lives in memory only.
  case memory
  /// An attribute's column.
  case attribute(column: String, type: AttributeType)
  /// A to-one relationship's columns.
  case toOne(ToOneColumns)
  /// A to-many relationship is what the to-one relationship at an index of the destination entity says.
  case inverse(destination: Int, property: Int)
  /// A many-to-many relationship's table, as seen from this side.
  case join(JoinSide)
}

/// The columns of a to-one relationship.
public struct ToOneColumns: Sendable, Hashable {
  /// Holds the target's key.
  public let key: String
  /// Holds the number of the target's entity, if the destination has sub-entities.
  public let entity: String?
  /// Holds the place among the target's members, if the inverse is ordered. Ascending; values need not be dense.
  public let order: String?
}

/// The table of a many-to-many relationship, seen from the side that names it, or the column that stands for one.
public struct JoinTable: Sendable, Hashable {
  /// Position in ``StoreSchema/joins``.
  public let index: Int
  /// Name of the table.
  public let name: String
  /// Index of the entity that declares the relationship which is the source side.
  public let sourceEntity: Int
  /// Index of the relationship among the properties of that entity.
  public let sourceProperty: Int
  /// Index of the entity on the target side.
  public let targetEntity: Int
  /// Holds the key of the object on the source side.
  public let sourceColumn: String
  /// Holds the key of the object on the target side.
  public let targetColumn: String
  /// Holds the place of the target among the source's members, if those are ordered.
  public let targetOrder: String?
  /// Holds the place of the source among the target's members, if those are ordered.
  public let sourceOrder: String?
  /// Whether both sides are the same relationship; every link is then two rows, one for each direction.
  public let isReflexive: Bool
  /// Whether there is no table of links: the rows of the target entity's table, which ``name`` is then, name their one owner in
  /// ``sourceColumn``. So Core Data keeps a relationship to many objects that has no inverse.
  public let isInTarget: Bool
}

/// A join table as one of its two relationships sees it.
public struct JoinSide: Sendable, Hashable {
  /// The table.
  public let table: JoinTable
  /// Whether this relationship is the target side, so that source and target change places.
  public let isReversed: Bool

  /// Holds the key of the object that has the relationship.
  public var ownColumn: String { isReversed ? table.targetColumn : table.sourceColumn }
  /// Holds the key of the related object.
  public var memberColumn: String { isReversed ? table.sourceColumn : table.targetColumn }
  /// Holds the related object's place, if the relationship is ordered.
  public var orderColumn: String? { isReversed ? table.sourceOrder : table.targetOrder }
}
