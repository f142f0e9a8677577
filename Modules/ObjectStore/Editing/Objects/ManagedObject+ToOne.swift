extension ManagedObject {
  /// The target of a to-one relationship by its property index; `nil` if it has none or the index is something else.
  public final func target(at index: Int) -> ManagedObject? {
    if state.contains(.tracing) { return PathTracer.note(index) }
    guard case .reference(let entity, let key) = value(at: index) else { return nil }
    noteOutliving("was asked for a related object")
    return context?.object(entity: Int(entity), key: key)
  }

  /// Sets the target of a to-one relationship by its property index, and the other side with it.
  public final func setTarget(_ target: ManagedObject?, at index: Int) {
    if let united {
      if let place = self.index(index, in: united) { united.setTarget(target, at: place) }
      return
    }
    let target = target?.resolved
    noteOutliving("was changed")
    guard let relationship = entity.relationship(at: index), !relationship.isToMany else {
      contextReference?.refuse(.unknownProperty(entity: entity.name, property: "#\(index)"))
      return
    }
    guard let context = contextReference, context.admits(target, in: relationship, of: self) else { return }
    let old = self.target(at: index)
    if old === target { return }
    if let old, let inverse = old.entity.inverseIndex(of: relationship) {
      if relationship.inverseIsToMany {
        old.memberLeft(self, at: inverse)
      } else if old !== self || inverse != index {
        old.writeReference(nil, at: inverse)
      }
    }
    writeReference(target, at: index)
    guard let target, let inverse = target.entity.inverseIndex(of: relationship) else { return }
    if relationship.inverseIsToMany {
      target.memberCame(self, at: inverse, position: nil)
    } else {
      // The previous holder may be of another entity of the family, where the property has another index.
      if let previous = target.target(at: inverse), previous !== self,
        let own = previous.entity.index(of: relationship.name)
      {
        previous.writeReference(nil, at: own)
      }
      target.writeReference(self, at: inverse)
    }
  }

  /// Sets one side alone.
  final func writeReference(_ target: ManagedObject?, at index: Int) {
    if let history = contextReference?.undoHistory {
      if history.isRecording, !isDeleted { history.note(.target(self, index, self.target(at: index))) }
      if !history.restored.isEmpty { history.restored.remove(self, at: index) }
    }
    setValue(target.map { .reference(entity: Int32($0.entity.index), key: $0.key) } ?? .null, at: index)
    if target == nil, let slot = entity.orderSlots[index], slot < values.count { values[slot] = .null }
  }

  /// The target of a to-one relationship by name.
  public final func target(_ name: String) -> ManagedObject? {
    entity.index(of: name).flatMap { target(at: $0) }
  }

  /// Sets the target of a to-one relationship by name, and the other side with it.
  public final func setTarget(_ target: ManagedObject?, _ name: String) {
    guard let index = entity.index(of: name) else {
      context?.refuse(.unknownProperty(entity: entity.name, property: name))
      return
    }
    setTarget(target, at: index)
  }
}
