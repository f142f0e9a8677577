/// What a managed object is made from. Only a context or a model can make one, so only they can make objects.
public final class Instantiation {
  // A context uses one for all of its objects, one after another: an object takes what it needs in its initialiser.
  @exclusivity(unchecked) var entity: EntityDescription
  unowned(unsafe) var context: ManagedObjectContext?
  @exclusivity(unchecked) var key: Int64
  @exclusivity(unchecked) var state: ObjectState

  init(entity: EntityDescription, context: ManagedObjectContext?, key: Int64, state: ObjectState) {
    self.entity = entity
    self.context = context
    self.key = key
    self.state = state
  }
}
