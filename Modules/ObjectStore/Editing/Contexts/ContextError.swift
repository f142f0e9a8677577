/// A use of a context that cannot be.
public enum ContextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The entity or class is not in the store's model.
  case unknownEntity(String)
  /// Objects of an abstract entity cannot be made.
  case abstractEntity(String)
  /// The entity has no such property, or it is of another kind.
  case unknownProperty(entity: String, property: String)
  /// An object of another context, or of none, was to be a relationship's target.
  case foreignObject(entity: String, property: String)
  /// An object of another context was to be deleted or refreshed.
  case objectOfAnotherContext(entity: String)
  /// An object of another entity than the relationship's destination was to be its target.
  case wrongEntity(entity: String, property: String, found: String)
  /// A key path in a predicate or sort key does not lead through properties of the model.
  case unknownPath(entity: String)
  /// A key path in a predicate, sort key or batch leads to a property that is computed from one of the model, which SQL cannot do.
  /// Swift tells its type, and not its name.
  case computedProperty(entity: String, type: String, reads: String)
  /// A key path in a predicate, sort key or batch says with an exclamation mark that a related object is there, which cannot be known.
  case forcedPath(entity: String)
  /// A request looks at the content of an attribute that may be kept in a file of its own, where no query gets at it.
  case externalValue(entity: String, property: String)
  /// A request looks for text in an attribute that holds something else, such as a list or a number.
  case notText(entity: String, property: String)
  /// Whole numbers were to be summed, and the sum does not fit 64 bits.
  case sumTooGreat(entity: String)
  /// The object has no row any more.
  case objectGone(String)
  /// A batch would write a value that the property cannot have: of another type, beyond its range, or none where one must be.
  case invalidBatchValue(entity: String, property: String)
  /// A batch cannot write this property: it is transient, to-many or one-to-one.
  case notInBatch(entity: String, property: String)

  /// What a person can do about it.
  public var recovery: String {
    switch self {
    case .unknownEntity: "Add the class to the model."
    case .abstractEntity: "Insert an object of an entity that inherits from it."
    case .unknownProperty, .unknownPath: "Use the name of a property that the entity has."
    case .foreignObject, .objectOfAnotherContext:
      "Get the object in this context first, with object(for:) and its identifier."
    case .wrongEntity: "Relate objects of the destination entity only."
    case .computedProperty(_, _, let reads):
      "Use the property itself (\(reads)), through relationships with a question mark, and compute with it in the request; or store what is computed, as a derived attribute for example."
    case .forcedPath: "Write a question mark in its place: what is compared with nothing is not equal to it."
    case .externalValue:
      "Ask only whether there is a value, with nil; or keep what is to be compared, such as a hash, in an attribute of its own."
    case .notText: "Compare the value itself, or keep as text what is to be looked for."
    case .sumTooGreat: "Sum them as real numbers: multiply the attribute by 1.0 within the sum, for example."
    case .objectGone: "Fetch again; the object was deleted elsewhere."
    case .invalidBatchValue: "Leave out the objects for which the value cannot be, or set another one."
    case .notInBatch: "Fetch the objects and set the property of each."
    }
  }

  /// One line for a log or a terminal.
  public var description: String {
    switch self {
    case .unknownEntity(let name): "\(name) is not in the model"
    case .abstractEntity(let name): "\(name) is abstract"
    case .unknownProperty(let entity, let property): "\(entity) has no such property: \(property)"
    case .foreignObject(let entity, let property):
      "\(entity).\(property) was to be set to an object of another context"
    case .objectOfAnotherContext(let entity): "an object of \(entity) belongs to another context"
    case .wrongEntity(let entity, let property, let found):
      "\(entity).\(property) was to be set to an object of \(found)"
    case .unknownPath(let entity): "a key path does not lead through properties of \(entity)"
    case .computedProperty(let entity, let type, let reads):
      "a key path of \(entity) leads to something of the type \(type) that is computed from \(reads) and not stored"
    case .forcedPath(let entity):
      "a key path of \(entity) takes a value for granted, with an exclamation mark"
    case .externalValue(let entity, let property):
      "\(entity).\(property) may be kept in a file of its own, so no request compares its content"
    case .notText(let entity, let property):
      "\(entity).\(property) is no text, so a request cannot look into it as into text"
    case .sumTooGreat(let entity): "a sum of whole numbers of \(entity) does not fit 64 bits"
    case .objectGone(let identifier): "\(identifier) has no row any more"
    case .invalidBatchValue(let entity, let property):
      "\(entity).\(property) was to get a value in a batch that it cannot have"
    case .notInBatch(let entity, let property): "\(entity).\(property) cannot be written in a batch"
    }
  }
}
