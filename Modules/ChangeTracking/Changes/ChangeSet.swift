import ObjectStore

/// Everything that one author pushes at once: the content of one file below `SyncChanges`.
///
/// Changes name entities and properties by their position in ``entities``. The order of the changes has no meaning:
/// each carries its own time, and merging is commutative.
public struct ChangeSet: Hashable, Sendable {
  /// Who made the changes.
  public var author: AuthorID
  /// Identifier of the author's client, for reports.
  public var client: String
  /// Position in the author's history, from 1, without gaps.
  public var sequence: UInt64
  /// Hash of the file of the author's previous set; `nil` for the first.
  public var previous: ContentHash?
  /// Checksum of the model that the author worked with.
  public var model: String
  /// The entities and properties that ``changes`` mention.
  public var entities: [EntityNames]
  /// The changes.
  public var changes: [Change]

  /// An entity by its position in ``entities``.
  @frozen public struct EntityIndex: IdentifyingNumber, ExpressibleByIntegerLiteral {
    /// The position.
    public let rawValue: Int

    /// Wraps a position.
    @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
    /// Wraps a position.
    @inlinable public init(integerLiteral value: Int) { rawValue = value }
  }

  /// A property by its position in ``EntityNames/properties``.
  @frozen public struct PropertyIndex: IdentifyingNumber, ExpressibleByIntegerLiteral {
    /// The position.
    public let rawValue: Int

    /// Wraps a position.
    @inlinable public init(rawValue: Int) { self.rawValue = rawValue }
    /// Wraps a position.
    @inlinable public init(integerLiteral value: Int) { rawValue = value }
  }

  /// Combines the parts of a set.
  public init(
    author: AuthorID, client: String, sequence: UInt64, previous: ContentHash?, model: String,
    entities: [EntityNames], changes: [Change]
  ) {
    self.author = author
    self.client = client
    self.sequence = sequence
    self.previous = previous
    self.model = model
    self.entities = entities
    self.changes = changes
  }

  /// The names of an entity; `nil` if the set does not declare it.
  public subscript(entity: EntityIndex) -> EntityNames? {
    entities.indices.contains(entity.rawValue) ? entities[entity.rawValue] : nil
  }
}

/// An entity as its author's model knows it.
public struct EntityNames: Hashable, Sendable {
  /// A property that the set mentions.
  public struct Property: Hashable, Sendable {
    /// What kind of property it is.
    public enum Kind: Hashable, Sendable {
      /// A value.
      case attribute
      /// At most one target, of an entity below the named root.
      case toOne(destination: String)
      /// Any number of targets.
      case toMany(destination: String)
    }

    /// The property's name.
    public var name: String
    /// What the author knows that the property was called before, the latest first. An empty name says that it is new though
    /// another bore its name before.
    public var formerNames: [String]
    /// What kind of property it is.
    public var kind: Kind

    /// Names a property.
    public init(name: String, formerNames: [String] = [], kind: Kind) {
      self.name = name
      self.formerNames = formerNames
      self.kind = kind
    }
  }

  /// The entity's name.
  public var name: String
  /// What the author knows that the entity was called before, the latest first; as for properties.
  public var formerNames: [String]
  /// Name of the topmost parent entity: sync IDs are unique among all entities below one root.
  public var root: String
  /// The properties that changes mention; none of an entity that is only the root or the destination of another.
  public var properties: [Property]

  /// Names an entity.
  public init(name: String, formerNames: [String] = [], root: String, properties: [Property]) {
    self.name = name
    self.formerNames = formerNames
    self.root = root
    self.properties = properties
  }

  /// The name of a property; `nil` if the set does not declare it.
  public subscript(property: ChangeSet.PropertyIndex) -> Property? {
    properties.indices.contains(property.rawValue) ? properties[property.rawValue] : nil
  }
}

/// What happened to one object at one time.
public struct Change: Hashable, Sendable {
  /// What happened.
  public enum Action: Hashable, Sendable {
    /// The object came to be, with these values. Properties that are not listed were not written.
    case insert([Register])
    /// These properties were written.
    case update([Register])
    /// To-one relationships were cleared because their target was deleted, or was given to another object, or lead again to one whose deletion
    /// was undone; with them stand the other properties of their groups. Nobody wrote that: it is as late as what it cleared, and never a conflict with what was written later.
    case clear([Register])
    /// The object was deleted.
    case delete
    /// A target was added to a to-many relationship.
    case link(property: ChangeSet.PropertyIndex, target: SyncID)
    /// A target was removed from a to-many relationship.
    case unlink(property: ChangeSet.PropertyIndex, target: SyncID)
    /// A target got a place among the source's ordered targets or, the other way round, the source among the ordered
    /// sources of the target. Places compare as bytes.
    case place(property: ChangeSet.PropertyIndex, target: SyncID, isInverse: Bool, bytes: [UInt8])
    /// Something was added to a property that is merged by folding (``MergeKind/isFolded``): a difference to a counter, a
    /// candidate for the greatest or smallest value.
    ///
    /// Time, author and value tell it from others. The author is that of the set, or else `origin`: a former self of his.
    case contribute(property: ChangeSet.PropertyIndex, value: AttributeValue, origin: AuthorID?)
  }

  /// Index of the object's entity in ``ChangeSet/entities``.
  public var entity: ChangeSet.EntityIndex
  /// The object.
  public var object: SyncID
  /// When it happened; the author is that of the set.
  public var time: LogicalTime
  /// What happened.
  public var action: Action

  /// Describes a change.
  public init(entity: ChangeSet.EntityIndex, object: SyncID, time: LogicalTime, action: Action) {
    self.entity = entity
    self.object = object
    self.time = time
    self.action = action
  }
}

/// A new value of an attribute or to-one relationship.
public struct Register: Hashable, Sendable {
  /// The kinds of content.
  public enum Content: Hashable, Sendable {
    /// An attribute's value.
    case value(AttributeValue)
    /// An attribute's value that travels out of line and is not here.
    case longValue(LongValue)
    /// A relationship's target; `nil` for none.
    case target(SyncID?)
  }

  /// Index of the property in ``EntityNames/properties``.
  public var property: ChangeSet.PropertyIndex
  /// What was written.
  public var content: Content

  /// Describes a written property.
  public init(property: ChangeSet.PropertyIndex, content: Content) {
    self.property = property
    self.content = content
  }
}
