/// Something that a merge could not do as its author meant it, or that a person should know.
public struct SyncWarning: Hashable, Sendable {
  /// The classic warnings with their codes, and further ones.
  public enum Kind: Int, Sendable, CaseIterable {
    /// An attribute was changed remotely of an object that is not known yet; the change waits for it.
    case objectNotFoundForAttribute = 1
    /// A relationship was changed remotely of or to an object that is not known yet; it waits.
    case objectNotFoundForRelationship = 2
    /// An object was deleted remotely that was never known here.
    case objectNotFoundForDeletion = 3
    /// An object was deleted remotely whose attributes were changed here and not pushed yet.
    case attributesOfDeletedObjectChangedHere = 4
    /// An object was deleted remotely whose relationships were changed here and not pushed yet.
    case relationshipsOfDeletedObjectChangedHere = 5
    /// Attributes were changed remotely of an object that was deleted here.
    case attributesOfObjectDeletedHereChanged = 6
    /// Relationships were changed remotely of an object that was deleted here.
    case relationshipsOfObjectDeletedHereChanged = 7
    /// The local model does not know an entity or property, or cannot hold a value; it is kept for a newer model.
    case unknownToModel = 20
    /// A set lies further in the future than the configured limit: a clock is wrong somewhere.
    case clockAhead = 21
    /// A set that nobody knew of lies where deletions have been forgotten: it comes from a forgotten copy of a store, and is left
    /// out. The device that wrote it must begin anew from a snapshot.
    case belowHorizon = 22
  }

  /// What happened.
  public var kind: Kind
  /// The object's entity; empty if the warning is about a whole set.
  public var entity: String
  /// The object.
  public var object: SyncID?
  /// The property concerned.
  public var key: String?
  /// Identifier of the client whose change it was.
  public var client: String
}
