/// What a managed object is made from. Only a context or a model can make one, so only they can make objects.
public final class Instantiation {
  let entity: EntityDescription
  let context: ManagedObjectContext?
  let key: Int64
  let state: ObjectState

  init(entity: EntityDescription, context: ManagedObjectContext?, key: Int64, state: ObjectState) {
    self.entity = entity
    self.context = context
    self.key = key
    self.state = state
  }
}
