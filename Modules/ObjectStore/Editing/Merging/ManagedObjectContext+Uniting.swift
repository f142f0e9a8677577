extension ManagedObjectContext {
  /// Makes a new object and a saved one of the same table, which the new one was folded into, one.
  ///
  /// - Parameters:
  ///   - object: The new one; withdrawn already.
  ///   - other: The saved one.
  ///   - isHeld: Whether the saved one may be in use. It then stays the object of the row and the new one leads to it; otherwise
  ///     the new one takes its place, and nobody sees that there was another.
  func unite(_ object: ManagedObject, with other: ManagedObject, isHeld: Bool) {
    let temporary = object.key
    undoHistory?.forget(object)
    if isHeld || object.entity !== other.entity {
      object.unite(with: other)
    } else {
      object.takePlace(of: other, in: self)
      replace(other, by: object)
    }
    for child in children.compactMap(\.context) { child.uniteMirrors(temporary, object.resolved) }
    noteForLiveResults(nil)
  }

  /// Has a new object wherever the saved one, of which it took the place, is known: nobody used that one before, so only the
  /// lists of changes and what was just related to it know it.
  private func replace(_ old: ManagedObject, by new: ManagedObject) {
    func replace(in list: inout [ManagedObject]) {
      if let index = list.lastIndex(where: { $0 === old }) { list[index] = new }
    }
    if new.state.contains(.updated) { replace(in: &updated) }
    if new.state.contains(.touched) { replace(in: &touched) }
    for (index, property) in new.entity.properties.enumerated() {
      guard let relationship = property.asRelationship, relationship.inverse != nil else { continue }
      for other in related(to: new, at: index) {
        guard let inverse = other.entity.inverseIndex(of: relationship) else { continue }
        let position = inverse - other.entity.slotCount
        if other.toManys.indices.contains(position) { other.toManys[position]?.replace(old, by: new) }
      }
    }
    if unpairedReferences(to: new.entity).isEmpty { return }
    for object in inserted + updated + touched {
      for state in object.toManys { state?.replace(old, by: new) }
    }
  }

  /// The objects in memory that are, were or will be on the other side of a relationship.
  private func related(to object: ManagedObject, at index: Int) -> [ManagedObject] {
    if index >= object.entity.slotCount {
      let position = index - object.entity.slotCount
      guard object.toManys.indices.contains(position), let state = object.toManys[position] else { return [] }
      return state.members.objects + state.added.values + state.removed.values
    }
    return [object.value(at: index), object.committedValue(at: index)].compactMap { value in
      guard case .reference(let entity, let key) = value, model.entities.indices.contains(Int(entity)) else {
        return nil
      }
      return tables[model.entities[Int(entity)].rootIndex][key]
    }
  }

  /// Does the same with a child's object of a temporary key, and the one that it may have for the row.
  private func uniteMirrors(_ temporary: Int64, _ original: ManagedObject) {
    let table = tables[original.entity.rootIndex]
    if let mirror = table[temporary] {
      if let known = table[original.key] {
        uniteMirror(mirror, with: known)
      } else if mirror.entity === original.entity {
        table.remove(temporary)
        mirror.key = original.key
        table.insert(mirror, for: original.key)
      }
    }
    let reference = AttributeValue.reference(entity: Int32(original.entity.index), key: original.key)
    for object in registeredObjects where object.entity.slotCount > object.entity.attributeCount {
      object.replaceReferences(toTemporary: temporary, inTableOf: original.entity, by: reference)
    }
    for child in children.compactMap(\.context) { child.uniteMirrors(temporary, original) }
  }

  private func uniteMirror(_ mirror: ManagedObject, with known: ManagedObject) {
    mirror.changed.forEach { index in
      guard index < mirror.entity.attributeCount, let place = mirror.index(index, in: known) else { return }
      known.setValue(mirror.value(at: index), at: place)
    }
    updated.removeAll { $0 === mirror }
    touched.removeAll { $0 === mirror }
    tables[mirror.entity.rootIndex].remove(mirror.key)
    mirror.contextReference = nil
    mirror.unite(with: known)
  }
}

extension ManagedObject {
  fileprivate func replaceReferences(
    toTemporary key: Int64, inTableOf entity: EntityDescription, by reference: AttributeValue
  ) {
    guard let model = contextReference?.model else { return }
    func isMeant(_ value: AttributeValue) -> Bool {
      guard case .reference(let other, key) = value, model.entities.indices.contains(Int(other)) else {
        return false
      }
      return model.entities[Int(other)].rootIndex == entity.rootIndex
    }
    for index in values.indices where isMeant(values[index]) { values[index] = reference }
    for index in committed.indices where isMeant(committed[index]) { committed[index] = reference }
  }
}
