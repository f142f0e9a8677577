/// An object that a merge policy keeps from being deleted, for others have changed it in the store.
struct SparedObject {
  let object: ManagedObject
  /// The members that it had when it was deleted: of these, who leads to it in the store has been made to forget it.
  private let members: [(property: Int, members: [ManagedObject])]

  /// - Parameter object: one that is deleted, with its own side of its relationships.
  init(_ object: ManagedObject) {
    self.object = object
    members = (object.entity.slotCount..<object.entity.properties.count).map {
      ($0, object.members(at: $0))
    }
  }

  /// Relates the object, which is as in the store again, to others as the store does, and takes out of it what the same save deletes.
  ///
  /// What must lead somewhere is left to be reported by the save.
  ///
  /// - Returns: the deletions that are denied as long as the object is there.
  func relate(in context: ManagedObjectContext) -> [SaveError.Problem] {
    context.withoutUndo {
      var denied: [SaveError.Problem] = []
      for index in object.entity.attributeCount..<object.entity.slotCount {
        guard let target = object.target(at: index) else { continue }
        denied += relate(target, at: index, in: context)
      }
      for (index, members) in members {
        for member in members { denied += relate(member, at: index, in: context) }
      }
      return denied
    }
  }

  private func relate(_ other: ManagedObject, at index: Int, in context: ManagedObjectContext)
    -> [SaveError.Problem]
  {
    guard let relationship = object.entity.relationship(at: index) else { return [] }
    let position = other.entity.inverseIndex(of: relationship)
    if let position, relationship.inverseIsToMany {
      other.toManyState(at: position)?.restore(object)
    } else if let position, context.isAlive(other), other.value(at: position).isNull,
      other.committedValue(at: position) == .reference(entity: Int32(object.entity.index), key: object.key)
    {
      context.takeBack(other, at: position)
    }
    return object.forgetDeleted(other, at: index)
  }
}

extension ManagedObject {
  /// Takes what the same save deletes out of an object that is as in the store again, as those deletions would have.
  ///
  /// What must lead somewhere is left to be reported by the save.
  ///
  /// - Returns: the deletions that are denied as long as the object is there.
  final func forgetDeletedTargets(in context: ManagedObjectContext) -> [SaveError.Problem] {
    context.withoutUndo {
      (entity.attributeCount..<entity.slotCount).flatMap { index in
        target(at: index).map { forgetDeleted($0, at: index) } ?? []
      }
    }
  }

  fileprivate final func forgetDeleted(_ other: ManagedObject, at index: Int) -> [SaveError.Problem] {
    guard other.isDeleted, let relationship = entity.relationship(at: index) else { return [] }
    let inverse = other.entity.inverseIndex(of: relationship).flatMap(other.entity.relationship(at:))
    if !relationship.isToMany, relationship.isOptional,
      inverse?.deleteRule != .deny, inverse?.deleteRule != .noAction || inverse?.isToMany == false
    {
      writeReference(nil, at: index)
    }
    guard let inverse, inverse.deleteRule == .deny else { return [] }
    return [.deletionDenied(other.objectID, property: inverse.name)]
  }
}
