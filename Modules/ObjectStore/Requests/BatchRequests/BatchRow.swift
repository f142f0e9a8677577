/// The values of a row that a batch insertion is going to write: the defaults of the entity, until they are set.
public struct BatchRow<Object: ManagedObject> {
  let entity: EntityDescription
  private let store: PersistentStore
  private let resolve: PathResolver
  // The same for all rows of a batch.
  private let rules = ValueRules()
  private(set) var values: ContiguousArray<AttributeValue>
  /// The slots that were set.
  private var assigned = PropertyMask()
  /// The first mistake.
  private var failure: ContextError?

  init(_ entity: EntityDescription, store: PersistentStore, resolve: @escaping PathResolver) {
    self.entity = entity
    self.store = store
    self.resolve = resolve
    values = entity.defaults
  }

  /// The value of an attribute.
  public subscript<Value: AttributeConvertible>(path: any PropertyKeyPath<Object, Value>) -> Value {
    get {
      let index = try? index(of: .keyPath(path))
      return index.flatMap { Value(attributeValue: values[$0]) } ?? Value.absentValue
    }
    set { set(.keyPath(path), newValue.attributeValue) }
  }

  /// The object that a to-one relationship leads to. It must have been saved; not for one-to-one relationships.
  public subscript<Target: ManagedObject>(path: any PropertyKeyPath<Object, Target?>) -> ObjectID? {
    get {
      guard let index = try? index(of: .keyPath(path)), case .reference(let entity, let key) = values[index]
      else { return nil }
      return store.objectID(store.model.entities[Int(entity)], key: key)
    }
    set {
      set(.keyPath(path), newValue.map { .reference(entity: Int32($0.entity.index), key: $0.key) } ?? .null)
    }
  }

  /// The value of an attribute by name.
  public subscript(name: PropertyName) -> AttributeValue {
    get { (try? index(of: .names(name.names))).map { values[$0] } ?? .null }
    set { set(.names(name.names), newValue) }
  }

  private func index(of path: PropertyPath) throws(ContextError) -> Int {
    let resolved = try resolve(path, entity)
    guard resolved.indices.count == 1, let index = resolved.indices.first, index < entity.slotCount else {
      throw .unknownProperty(entity: entity.name, property: resolved.property.name)
    }
    return index
  }

  private mutating func set(_ path: PropertyPath, _ value: AttributeValue) {
    do {
      let index = try index(of: path)
      try entity.checkBatch(value, at: index)
      values[index] = value
      assigned.insert(index)
    } catch {
      if failure == nil { failure = error }
    }
  }

  /// What was set. A relationship to one object that has a place among others loses its place.
  var setValues: [(property: Int, value: AttributeValue)] {
    var set: [(property: Int, value: AttributeValue)] = []
    assigned.forEach { index in
      set.append((index, values[index]))
      if let order = entity.orderSlots[index] { set.append((order, .null)) }
    }
    return set
  }

  /// Throws what was done wrong, or a value that was set and cannot be.
  func checkSet() throws(ContextError) {
    if let failure { throw failure }
    for index in entity.checks.required where assigned.contains(index) && values[index].isNull {
      throw .invalidBatchValue(entity: entity.name, property: entity.properties[index].name)
    }
    for index in entity.checks.validated where assigned.contains(index) {
      try entity.checkRules(values[index], at: index, rules)
    }
  }

  /// Throws what was done wrong, or what is missing.
  func check() throws(ContextError) {
    if let failure { throw failure }
    for index in entity.checks.required where values[index].isNull {
      throw .invalidBatchValue(entity: entity.name, property: entity.properties[index].name)
    }
    for index in entity.checks.validated { try entity.checkRules(values[index], at: index, rules) }
  }
}

extension EntityDescription {
  /// Throws if a value breaks a rule of its attribute.
  func checkRules(_ value: AttributeValue, at index: Int, _ rules: ValueRules) throws(ContextError) {
    guard let attribute = attribute(at: index) else { return }
    if !rules.violations(attribute.validation, by: value).isEmpty {
      throw .invalidBatchValue(entity: name, property: attribute.name)
    }
  }

  /// Whether a batch may write a value.
  func checkBatch(_ value: AttributeValue, at index: Int) throws(ContextError) {
    let property = properties[index]
    switch property {
    case .attribute(let attribute):
      if attribute.type.accepts(value) { return }
    case .relationship(let relationship):
      // The other side of a one-to-one relationship would have to be written too.
      guard !relationship.isToMany, relationship.inverse == nil || relationship.inverseIsToMany else {
        throw .notInBatch(entity: name, property: property.name)
      }
      switch value {
      case .null: return
      case .reference(_, let key) where key > 0: return
      default: break
      }
    }
    throw .invalidBatchValue(entity: name, property: property.name)
  }
}
