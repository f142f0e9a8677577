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
    /// Relationships were changed remotely of, or to, an object that was deleted here.
    case relationshipsOfObjectDeletedHereChanged = 7
    /// The local model does not know an entity or property, or cannot hold a value; it is kept for a newer model.
    case unknownToModel = 20
    /// A set lies further in the future than the configured limit: a clock is wrong somewhere.
    case clockAhead = 21
    /// A set that nobody knew of lies where deletions have been forgotten: it comes from a forgotten copy of a store, and is left
    /// out. The device that wrote it must begin anew from a snapshot.
    case belowHorizon = 22
    /// A to-one relationship cannot be shown, because its target is not there or a later claim has it; it is kept aside
    /// (``ApplyReport/parked``).
    case parked = 23
    /// A change does not fit the kind of its property, so nobody can make sense of it; it is left out everywhere.
    case skipped = 24
    /// This store goes on under a new author, and has said again what the remote was not known to have
    /// (``Replica/beginNewIncarnation()``).
    case restamped = 25
    /// Changes bear times of the year 6429 or later (``LogicalTime/valid``); they are left out everywhere.
    case timeInvalid = 26
    /// Something is more, or longer, than a set may say or a device keeps (``SetLimits``): on the device that says it, it is in
    /// no set; what another one said is left out here.
    case exceedsLimit = 27
    /// A value of this device cannot be read, as when the file it lies in is missing: what others know of it stays as it is.
    case unreadable = 28
    /// An edit of this device is of something that bears the last of all times (``LogicalTime/valid``): nothing can be later, so the
    /// edit is in no set and stays here.
    case noLaterTime = 29
    /// Versions of the model contradict each other: of different things each is told to be, or to have been, one. What the model of this
    /// device says by itself holds; where it says nothing, the contested name counts for none of them. The entities, or the entity
    /// with the properties, are named, and the contested name last.
    case contradictoryNames = 30
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
  /// What the other device did, if the warning is about one change.
  public var remote: ChangeSide?
  /// What this device had done, if that stands against it.
  public var local: ChangeSide?
  /// Of a set that lies in the future: how far, in milliseconds of this device's clock.
  public var lead: UInt64?
}

extension SyncWarning {
  /// A warning about a whole set.
  init(_ kind: Kind, client: String, lead: UInt64? = nil) {
    self.init(kind: kind, entity: "", object: nil, key: nil, client: client, lead: lead)
  }
}

extension SyncWarning {
  /// What was overruled, if there were two sides.
  var overridden: OverriddenChange? {
    guard let object, let remote, let local else { return nil }
    switch kind {
    case .attributesOfDeletedObjectChangedHere, .relationshipsOfDeletedObjectChangedHere:
      return OverriddenChange(entity: entity, object: object, key: key, lost: local, kept: remote)
    case .attributesOfObjectDeletedHereChanged, .relationshipsOfObjectDeletedHereChanged:
      return OverriddenChange(entity: entity, object: object, key: key, lost: remote, kept: local)
    default: return nil
    }
  }
}

extension SyncWarning: CustomStringConvertible {
  /// One line that names the object, the property and the clients. Values are not in it, so that it may go into a log.
  public var description: String { sentence { $0 } }

  /// The same for a person.
  ///
  /// - Parameters:
  ///   - name: what a person calls a client.
  ///   - shown: what a person calls an object; its identifier by default.
  public func sentence(
    _ name: (String) -> String, object shown: (SyncID) -> String = { $0.string }
  ) -> String {
    let subject = [entity, object.map(shown) ?? "", key ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    return (subject.isEmpty ? "" : subject + ": ") + kind.sentence(client: name(client), lead: lead ?? 0)
  }
}

extension SyncWarning.Kind {
  fileprivate func sentence(client: String, lead: UInt64) -> String {
    switch self {
    case .objectNotFoundForAttribute:
      "\(client) changed an attribute of an object that has not come yet; the change waits for it."
    case .objectNotFoundForRelationship:
      "\(client) changed a relationship of or to an object that has not come yet; the change waits for it."
    case .objectNotFoundForDeletion: "\(client) deleted an object that was never here."
    case .attributesOfDeletedObjectChangedHere:
      "\(client) deleted the object, so the attribute changed here is gone with it."
    case .relationshipsOfDeletedObjectChangedHere:
      "\(client) deleted the object, so the relationship changed here is gone with it."
    case .attributesOfObjectDeletedHereChanged:
      "\(client) changed an attribute of the object that was deleted here; it stays deleted."
    case .relationshipsOfObjectDeletedHereChanged:
      "\(client) changed a relationship of or to the object that was deleted here; it stays deleted."
    case .unknownToModel: "\(client) wrote what this model does not know; it is kept for a newer one."
    case .clockAhead:
      "A set of \(client) lies \(Self.duration(lead)) in the future; look at the clocks of both devices."
    case .belowHorizon: "A set of \(client) is older than what was forgotten; that device must begin anew."
    case .parked: "The target that \(client) gave is not there or taken; the relationship waits for it."
    case .skipped: "\(client) wrote what does not fit the property; it is left out."
    case .restamped: "\(client) goes on under a new author and has said its unsent changes again."
    case .timeInvalid:
      "A set of \(client) lies \(Self.duration(lead)) in the future, where no time is valid; it is left out. "
        + "Set that device's clock and join the document anew there."
    case .exceedsLimit:
      "\(client) has more, or something longer, than can be exchanged, or an object without identifier; it is left out."
    case .unreadable:
      "\(client) cannot read the value, so the others are not told of it. Restore its file, or write the value anew."
    case .noLaterTime:
      "No time is left for a change of \(client), since a device with a wrong clock wrote last; it stays where it is. "
        + "Delete the object and make another, or write it on the device that wrote last."
    case .contradictoryNames:
      "Versions of the model contradict each other: each of these names is told to be a later one of the last. "
        + "What the model of \(client) says by itself holds; what it says nothing of is kept aside until a version of it tells whose name "
        + "the last one was."
    }
  }

  private static func duration(_ milliseconds: UInt64) -> String {
    let hours = milliseconds / 3_600_000
    return hours < 48
      ? "\(max(1, hours)) h" : hours < 24 * 730 ? "\(hours / 24) days" : "\(hours / 8_766) years"
  }
}
