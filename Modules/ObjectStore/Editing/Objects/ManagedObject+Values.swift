extension ManagedObject {
  /// One per slot; empty for a fault, and as long as the values are only in `row`.
  final var values: ContiguousArray<AttributeValue> {
    get { ownValues ?? [] }
    set { ownValues = newValue.isEmpty ? nil : newValue }
    _modify {
      // Taken out meanwhile, or changing one value would copy them all.
      var taken = ownValues ?? []
      ownValues = nil
      defer { ownValues = taken.isEmpty ? nil : taken }
      yield &taken
    }
  }

  /// The value of an attribute, or the reference of a to-one relationship, by its property index.
  ///
  /// Fires a fault. `null` if the index is no attribute or to-one relationship of the entity.
  @inlinable public final func value(at index: Int) -> AttributeValue {
    if let values = ownValues, index < values.count { return values[index] }
    return valueOfFault(at: index)
  }

  @usableFromInline final func valueOfFault(at index: Int) -> AttributeValue {
    if let row { return row.value(index, row: rowIndex) }
    if let united { return self.index(index, in: united).map { united.value(at: $0) } ?? .null }
    if state.contains(.tracing) {
      PathTracer.note(index)
      return entity.attribute(at: index).map { PathTracer.probe.value($0.type) } ?? .null
    }
    fire()
    if let row { return row.value(index, row: rowIndex) }
    return values.indices.contains(index) ? values[index] : .null
  }

  /// The value at an index if it is an integer in `row`; a short way past ``AttributeValue``.
  @usableFromInline final func packedInteger(at index: Int) -> Int64? {
    if ownValues != nil { return nil }
    return slab?._withUnsafeGuaranteedRef { $0.integer(index, row: rowIndex) }
  }

  /// The value at an index if it is text in `row`; a short way past ``AttributeValue``.
  @usableFromInline final func packedString(at index: Int) -> String? {
    if ownValues != nil { return nil }
    return slab?._withUnsafeGuaranteedRef { $0.string(index, row: rowIndex) }
  }

  /// Sets the value of an attribute by its property index; sets a to-one relationship only with ``setTarget(_:at:)``.
  ///
  /// The value's type is checked when the context saves.
  @inlinable public final func setValue(_ value: AttributeValue, at index: Int) {
    if !isTracked, !track(index) { return setValueElsewhere(value, at: index) }
    if let count = ownValues?.count, index < count {
      ownValues?[index] = value
      if index < 64 { changedLow |= 1 << UInt64(index) } else { noteChangeBeyond(index) }
    }
  }

  /// Sets a value in the object that this one leads to, if there is one. A deleted object keeps its values.
  @usableFromInline final func setValueElsewhere(_ value: AttributeValue, at index: Int) {
    if united == nil { noteOutliving("was changed") }
    if let united, let place = self.index(index, in: united) { united.setValue(value, at: place) }
  }

  /// Whether the context knows already that there are changes, and need not be told of each.
  @usableFromInline final var isTracked: Bool {
    !state.isDisjoint(with: [.inserted, .updated]) && state.isDisjoint(with: .recorded)
  }

  /// Informs the context that a value is about to be set, before the first change, or each if they can be undone; `false` if
  /// there may be none, for the object is deleted or has no context.
  @usableFromInline final func track(_ index: Int) -> Bool {
    if state.contains(.fault) { fire() }
    guard let context = contextReference, state.isDisjoint(with: [.deleted, .gone]) else { return false }
    if state.isDisjoint(with: [.inserted, .updated]) {
      if let row { values = row.values(row: rowIndex) } else { committed = values }
      state.insert(.updated)
      context.updated.append(self)
    }
    if let history = context.undoHistory {
      state.insert(.recorded)
      // References are noted where both sides are set.
      if index < entity.attributeCount, index < values.count {
        history.note(.value(self, index, values[index]))
      }
    } else {
      state.remove(.recorded)
    }
    return true
  }

  /// Brings the values to memory.
  final func fire() {
    guard state.contains(.fault) else { return }
    noteOutliving("was read")
    contextReference?.fulfil(self)
  }

  /// The default of an attribute that must have a value and has none; else `null`. A program with an older model may have written
  /// the row, or one that does not know the default.
  final func defaultValue(at index: Int) -> AttributeValue {
    guard state.isDisjoint(with: [.tracing, .gone]), entity.defaults.indices.contains(index),
      entity.attribute(at: index)?.isOptional == false, value(at: index).isNull
    else { return .null }
    return entity.defaults[index]
  }

  /// The property's value without its Swift type: an attribute's value.
  ///
  /// `null` if there is no attribute of this name. Setting what is not there is reported when the context saves.
  public subscript(name: String) -> AttributeValue {
    get {
      guard let index = entity.index(of: name) else { return .null }
      let value = value(at: index)
      return value.isNull ? defaultValue(at: index) : value
    }
    set {
      guard let index = entity.index(of: name), index < entity.attributeCount else {
        context?.refuse(.unknownProperty(entity: entity.name, property: name))
        return
      }
      setValue(newValue, at: index)
    }
  }

  /// The values as they were when the object was fetched or last saved, by property index.
  public func committedValue(at index: Int) -> AttributeValue {
    if let united { return self.index(index, in: united).map { united.committedValue(at: $0) } ?? .null }
    if isInserted { return .null }
    if state.contains(.fault) { fire() }
    if let row { return row.value(index, row: rowIndex) }
    return (committed.isEmpty ? values : committed).indices.contains(index)
      ? (committed.isEmpty ? values : committed)[index] : .null
  }

  /// The value of an attribute as it was when the object was fetched or last saved; `null` if there is none of this name.
  public func committedValue(_ name: String) -> AttributeValue {
    entity.index(of: name).map { committedValue(at: $0) } ?? .null
  }

  /// The attributes and to-one relationships of which the value differs from the one that was fetched or last saved, with
  /// what they have now. Those of a new object that have a value.
  public var changedValues: [String: AttributeValue] {
    if let united { return united.changedValues }
    var changes: [String: AttributeValue] = [:]
    if !hasChanges { return changes }
    for index in 0..<entity.slotCount where isInserted || changed.contains(index) {
      let value = value(at: index)
      if value != committedValue(at: index) { changes[entity.properties[index].name] = value }
    }
    return changes
  }

  /// The properties that were set since the object was fetched or last saved, by index.
  public var changedProperties: PropertyMask { resolved.changed }
}
