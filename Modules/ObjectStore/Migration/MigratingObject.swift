/// An object while its store is migrated: what it was, and what it becomes.
///
/// Belongs to the call of a transformation and must not be kept.
public final class MigratingObject {
  /// The object as it was in the earlier version.
  public let old: Earlier
  /// The entity in the later version.
  public let entity: EntityDescription
  /// The key of the object's row in the later version.
  public let key: Int64
  private let rows: MigratingRows
  private var changes: [(property: Int, value: AttributeValue)] = []
  private var isDeleted = false
  private(set) var failure: (any Error)?

  init(rows: MigratingRows, entity: EntityDescription, key: Int64, old: Earlier) {
    self.rows = rows
    self.entity = entity
    self.key = key
    self.old = old
  }

  /// The value of an attribute, or the reference of a to-one relationship, in the later version.
  ///
  /// To begin with what could be inferred. A name that the entity does not have ends the migration with an error.
  public subscript(name: String) -> AttributeValue {
    get {
      guard let index = slot(name) else { return .null }
      if let change = changes.last(where: { $0.property == index }) { return change.value }
      return read { try rows.writer.read(entity.index, key: key, [index])?.first } ?? .null
    }
    set { if let index = slot(name) { changes.append((index, newValue)) } }
  }

  /// A reference to this object, for a to-one relationship of another.
  public var reference: AttributeValue { .reference(entity: Int32(entity.index), key: key) }

  /// Removes the object and all that leads to it.
  public func delete() { isDeleted = true }

  /// Makes a new object of the later version. Attributes have their defaults unless they are given.
  ///
  /// - Returns: A reference for to-one relationships.
  /// - Throws: ``ContextError`` for a name that the model does not have or an abstract entity, ``StoreError``, `SQLiteError`.
  public func insert(entity name: String, _ values: [String: AttributeValue] = [:]) throws -> AttributeValue {
    guard let entity = rows.target.model.entity(named: name) else { throw ContextError.unknownEntity(name) }
    if entity.isAbstract { throw ContextError.abstractEntity(name) }
    let slots = try values.map { name, value in
      guard let index = entity.index(of: name), index < entity.slotCount else {
        throw ContextError.unknownProperty(entity: entity.name, property: name)
      }
      return (property: index, value: value)
    }
    let key = try rows.writer.allocateKeys(entity.index)
    try rows.writer.insert(entity.index, key: key, slots)
    return .reference(entity: Int32(entity.index), key: key)
  }

  private func slot(_ name: String) -> Int? {
    if let index = entity.index(of: name), index < entity.slotCount { return index }
    failure = failure ?? ContextError.unknownProperty(entity: entity.name, property: name)
    return nil
  }

  private func read<Value>(_ body: () throws -> Value?) -> Value? {
    do { return try body() } catch {
      failure = failure ?? error
      return nil
    }
  }

  /// Writes what was set.
  func write() throws {
    if let failure = failure ?? old.failure { throw failure }
    if isDeleted {
      try rows.writer.delete(entity.index, key: key)
      return
    }
    for (property, value) in changes {
      if case .attribute(let attribute) = entity.properties[property], !attribute.type.accepts(value) {
        throw StoreError(
          .migrationRefused(["\(entity.name).\(attribute.name): a value is not of the type \(attribute.type)"]
          ),
          path: rows.writer.connection.path)
      }
    }
    if !changes.isEmpty { try rows.writer.update(entity.index, key: key, changes) }
  }

  /// An object as it was in the earlier version.
  public final class Earlier {
    /// The entity in the earlier version.
    public let entity: EntityDescription
    /// The key of the object's row in the earlier version.
    public let key: Int64
    private let rows: MigratingRows
    fileprivate var failure: (any Error)?

    init(rows: MigratingRows, entity: EntityDescription, key: Int64) {
      self.rows = rows
      self.entity = entity
      self.key = key
    }

    /// The value of an attribute. A name that the entity does not have ends the migration with an error.
    public subscript(name: String) -> AttributeValue {
      guard let index = entity.index(of: name), index < entity.slotCount else {
        failure = failure ?? ContextError.unknownProperty(entity: entity.name, property: name)
        return .null
      }
      do { return try rows.reader.read(entity.index, key: key, [index])?.first ?? .null } catch {
        failure = failure ?? error
        return .null
      }
    }

    /// The object that a to-one relationship led to.
    public func target(_ name: String) -> Earlier? {
      guard case .reference(let entity, let key) = self[name],
        rows.source.model.entities.indices.contains(Int(entity))
      else { return nil }
      return Earlier(rows: rows, entity: rows.source.model.entities[Int(entity)], key: key)
    }
  }
}
