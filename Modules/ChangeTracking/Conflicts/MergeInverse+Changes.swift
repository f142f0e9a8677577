extension MergeInverse {
  /// What a merge did to one object that shows.
  public struct Change: Hashable, Sendable {
    /// What became of the object.
    public enum Kind: String, Sendable {
      /// It came to be.
      case came
      /// It was deleted.
      case went
      /// It shows something else.
      case changed
    }

    /// The object's entity.
    public var entity: String
    /// The object.
    public var object: SyncID
    /// What became of it.
    public var kind: Kind
    /// The properties that show something else, in order; none unless the object was changed.
    public var keys: [String]
  }

  /// What the merge changed, object by object: what ``Replica/undo(_:keeping:)`` takes back.
  public var changes: [Change] {
    objects.compactMap { object in
      switch (object.before, object.after) {
      case (nil, nil): return nil
      case (nil, let after?):
        return Change(entity: after.entity, object: object.syncID, kind: .came, keys: [])
      case (let before?, nil):
        return Change(entity: before.entity, object: object.syncID, kind: .went, keys: [])
      case (let before?, let after?):
        return Change(
          entity: after.entity, object: object.syncID, kind: .changed,
          keys: Self.differences(before, after))
      }
    }
  }

  /// The properties and lists that two states differ in.
  static func differences(_ before: State, _ after: State) -> [String] {
    let keys = Set(before.properties.keys).union(after.properties.keys)
      .filter { before.properties[$0] != after.properties[$0] }
    let lists = Set(before.orders.keys).union(after.orders.keys)
      .filter { before.orders[$0] != after.orders[$0] }
    return Set(keys).union(lists.map(\.key)).sorted()
  }
}
