/// The members of a to-many relationship of one object, for reading and changing without building a collection.
///
/// Iterating fetches the members if they are not in memory yet, and sees them as they were when it began.
public struct MutableMembers<Member: ManagedObject>: Sequence {
  let object: ManagedObject
  let index: Int

  /// Number of members. Fetches them if they are not in memory.
  public var count: Int { object.members(at: index).count }

  /// Whether there are no members.
  public var isEmpty: Bool { count == 0 }

  /// Whether an object is a member.
  public func contains(_ member: Member) -> Bool { object.hasMember(member, at: index) }

  /// Adds a member, at the end if there is an order. Nothing happens if it is one already.
  public func insert(_ member: Member) { object.insertMember(member, at: index, position: nil) }

  /// Adds a member at a position of an ordered relationship, or moves it there.
  ///
  /// - Parameters:
  ///   - member: The object to add or move.
  ///   - position: 0 up to the number of other members; anything beyond is the end.
  public func insert(_ member: Member, at position: Int) {
    object.insertMember(member, at: index, position: position)
  }

  /// Removes a member. Nothing happens if it is none.
  public func remove(_ member: Member) { object.removeMember(member, at: index) }

  /// Removes all members.
  public func removeAll() { object.setMembers([], at: index) }

  /// Iterates over the members as they are now.
  public func makeIterator() -> Iterator { Iterator(members: object.members(at: index).makeIterator()) }

  /// Iterates over members.
  public struct Iterator: IteratorProtocol {
    var members: IndexingIterator<[ManagedObject]>

    /// The next member.
    public mutating func next() -> Member? {
      while let object = members.next() {
        if let member = object as? Member { return member }
      }
      return nil
    }
  }
}
