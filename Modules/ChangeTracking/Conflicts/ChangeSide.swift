/// One of two sides that changed the same thing: who, when, and what.
public struct ChangeSide: Hashable, Sendable {
  /// What one side did.
  public enum Effect: Hashable, Sendable {
    /// An attribute or to-one relationship was written.
    case wrote(Register.Content)
    /// An object was added to a to-many relationship.
    case added(SyncID)
    /// An object was removed from a to-many relationship.
    case removed(SyncID)
    /// The object was deleted.
    case deleted
  }

  /// Identifier of the client.
  public var client: String
  /// The author and the time; `nil` for an answer, which gets its time when the next set is made.
  public var stamp: Stamp?
  /// What was done.
  public var effect: Effect

  /// The author, if the change has one already.
  public var author: AuthorID? { stamp?.author }
}

/// A change that another one overruled.
public struct OverriddenChange: Hashable, Sendable {
  /// The object's entity.
  public var entity: String
  /// The object.
  public var object: SyncID
  /// The property; `nil` if it has none that the local model knows.
  public var key: String?
  /// What does not show any more.
  public var lost: ChangeSide
  /// What overruled it.
  public var kept: ChangeSide
}

/// A change that is merged, but that no row can show now.
public struct ParkedChange: Hashable, Sendable {
  /// Why it waits.
  public enum Reason: String, Hashable, Sendable {
    /// Its object has not come yet.
    case objectUnknown
    /// Its object is deleted; it shows if somebody inserts that again.
    case objectDeleted
    /// The local model does not know the entity or the property, or cannot hold the value.
    case unknownToModel
    /// The value is too long for a set and has not arrived.
    case valueMissing
    /// The target of the relationship has not come yet, or is deleted.
    case targetMissing
    /// A later claim has the only place that there is.
    case claimedByAnother
  }

  /// The object's entity; empty if it is not known.
  public var entity: String
  /// The object.
  public var object: SyncID
  /// The attribute or to-one relationship.
  public var key: String
  /// What waits, and who wrote it.
  public var written: ChangeSide
  /// Why it waits.
  public var reason: Reason
}
