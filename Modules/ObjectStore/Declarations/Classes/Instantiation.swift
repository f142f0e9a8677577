/// What a managed object is made from. Only a context or a model can make one, so only they can make objects.
///
/// Passed from one initialiser to the next, so it counts no references: whoever makes an object holds on to the entity and
/// the context.
public struct Instantiation {
  let entity: Unmanaged<EntityDescription>
  /// The table of the context that the object will be in; nil without a context.
  let table: Unmanaged<KeyTable>?
  let key: Int64
  let state: ObjectState

  @inline(__always)
  init(entity: Unmanaged<EntityDescription>, table: Unmanaged<KeyTable>, key: Int64, state: ObjectState) {
    self.entity = entity
    self.table = table
    self.key = key
    self.state = state
  }

  init(entity: EntityDescription, table: KeyTable?, key: Int64, state: ObjectState) {
    self.entity = .passUnretained(entity)
    self.table = table.map { .passUnretained($0) }
    self.key = key
    self.state = state
  }
}
