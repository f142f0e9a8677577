extension ManagedObjectContext {
  /// Makes a new object with the defaults of its entity. It gets a row when the context saves.
  ///
  /// - Parameters:
  ///   - type: The class of the object, which tells the entity.
  ///   - configure: Sets values, after the object's own hook.
  /// - Throws: ``ContextError`` if the class is not in the model or its entity is abstract.
  @discardableResult public func insert<Object: ManagedObject>(
    _ type: Object.Type, _ configure: (Object) -> Void = { _ in }
  ) throws(ContextError) -> Object {
    guard let entity = model.entity(for: type) else { throw .unknownEntity(type.entityName) }
    // The class of the entity's objects is the one that it was found by.
    let object = unsafeDowncast(try insert(entity), to: Object.self)
    configure(object)
    return object
  }

  /// Makes a new object of an entity.
  ///
  /// - Throws: ``ContextError`` if the entity is abstract or of another model.
  @discardableResult public func insert(_ entity: EntityDescription) throws(ContextError) -> ManagedObject {
    guard model.entities.indices.contains(entity.index), model.entities[entity.index] === entity else {
      throw .unknownEntity(entity.name)
    }
    if entity.isAbstract { throw .abstractEntity(entity.name) }
    if !adopted.hasBegun, parent == nil { beginAdopting() }
    let object = make(entity, key: takeTemporaryKey(), state: .inserted)
    inserted.append(object)
    if let undoHistory {
      object.state.insert(.recorded)
      undoHistory.note(.appeared(object))
    }
    object.awakeFromInsert()
    for participant in participants { participant.contextDidInsert(object) }
    return object
  }

  /// Makes a new object of the entity of this name.
  ///
  /// - Throws: ``ContextError`` if there is none or it is abstract.
  @discardableResult public func insert(entity name: String) throws(ContextError) -> ManagedObject {
    guard let entity = model.entity(named: name) else { throw .unknownEntity(name) }
    return try insert(entity)
  }
}
