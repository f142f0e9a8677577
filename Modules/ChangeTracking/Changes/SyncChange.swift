import ObjectStore

/// One elementary change in the classic vocabulary, by name: what tools list and reports quote.
public struct SyncChange: Hashable, Sendable {
  /// The classic change types with their codes.
  public enum Kind: Int, Sendable, CaseIterable {
    /// An object was inserted.
    case objectInserted = 1
    /// An attribute was written.
    case attributeChanged = 2
    /// A to-one relationship was set or cleared.
    case toOneChanged = 3
    /// A to-many relationship gained a target.
    case toManyAdded = 4
    /// A to-many relationship lost a target.
    case toManyRemoved = 5
    /// An object was deleted.
    case objectDeleted = 10
    /// A member of an ordered relationship got its place among the others.
    case memberPlaced = 20
    /// Something was added to a counter, or said to a property that shows the greatest or smallest value.
    case valueContributed = 21
  }

  /// What happened.
  public var kind: Kind
  /// The object's entity.
  public var entity: String
  /// The object.
  public var object: SyncID
  /// The property, unless the whole object was inserted or deleted.
  public var key: String?
  /// The new value of an attribute.
  public var value: AttributeValue?
  /// Instead of it, the description of a value that travels out of line and is not here.
  public var longValue: LongValue?
  /// The target of a relationship; `nil` when it was cleared.
  public var target: SyncID?
  /// When and by whom.
  public var stamp: Stamp
}

extension ChangeSet {
  /// The elementary changes of this set, one per written property, in the order of the set.
  public var syncChanges: [SyncChange] {
    changes.flatMap { elementaryChanges(of: $0) }
  }

  private func elementaryChanges(of change: Change) -> [SyncChange] {
    guard let entity = self[change.entity] else { return [] }
    let stamp = Stamp(time: change.time, author: author)
    func make(
      _ kind: SyncChange.Kind, _ property: ChangeSet.PropertyIndex?, value: AttributeValue? = nil,
      longValue: LongValue? = nil,
      target: SyncID? = nil
    ) -> SyncChange {
      SyncChange(
        kind: kind, entity: entity.name, object: change.object,
        key: property.flatMap { entity[$0]?.name },
        value: value, longValue: longValue, target: target, stamp: stamp)
    }
    func written(_ registers: [Register]) -> [SyncChange] {
      registers.map { register in
        switch register.content {
        case .value(let value): make(.attributeChanged, register.property, value: value)
        case .longValue(let value): make(.attributeChanged, register.property, longValue: value)
        case .target(let target): make(.toOneChanged, register.property, target: target)
        }
      }
    }
    return switch change.action {
    case .insert(let registers): [make(.objectInserted, nil)] + written(registers)
    case .update(let registers), .clear(let registers): written(registers)
    case .delete: [make(.objectDeleted, nil)]
    case .link(let property, let target): [make(.toManyAdded, property, target: target)]
    case .unlink(let property, let target): [make(.toManyRemoved, property, target: target)]
    case .place(let property, let target, _, _): [make(.memberPlaced, property, target: target)]
    case .contribute(let property, let value, _): [make(.valueContributed, property, value: value)]
    }
  }
}
