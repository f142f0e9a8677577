/// Identifies an object everywhere: in other contexts, in other isolation domains, and, once it is saved, for ever.
///
/// A new object has a temporary identifier that means something only in its context; the first save replaces it.
public struct ObjectID: Hashable, Sendable {
  /// The object's entity.
  public let entity: EntityDescription
  /// The object's key in its table; negative while temporary.
  public let key: Int64
  let store: StoreIdentity

  init(entity: EntityDescription, key: Int64, store: StoreIdentity) {
    self.entity = entity
    self.key = key
    self.store = store
  }

  /// Whether the object has not been saved yet.
  public var isTemporary: Bool { key < 0 }

  /// Core Data's form: `x-coredata://<store>/<Entity>/p<key>`; a temporary identifier has `t` instead of `p`.
  public var uri: String {
    "x-coredata://\(store.uuid)/\(entity.name)/\(isTemporary ? "t" : "p")\(key.magnitude)"
  }

  /// Whether both are the same.
  public static func == (left: ObjectID, right: ObjectID) -> Bool {
    left.key == right.key && left.entity === right.entity && left.store.uuid == right.store.uuid
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(entity.index)
  }
}

extension ObjectID: CustomStringConvertible {
  /// The URI form.
  public var description: String { uri }
}

extension PersistentStore {
  /// The identifier of a saved object, from its entity and key. Whether there is such an object is not looked up.
  public func objectID(_ entity: EntityDescription, key: Int64) -> ObjectID {
    ObjectID(entity: entity, key: key, store: identity)
  }

  /// Reads the URI form of a saved object's identifier; `nil` if it is malformed or of another store.
  public func objectID(uri: String) -> ObjectID? {
    let prefix = "x-coredata://\(uuid)/"
    guard uri.hasPrefix(prefix) else { return nil }
    let parts = uri.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let entity = model.entity(named: String(parts[0])), parts[1].first == "p",
      let key = Int64(parts[1].dropFirst()), key > 0
    else { return nil }
    return objectID(entity, key: key)
  }
}
