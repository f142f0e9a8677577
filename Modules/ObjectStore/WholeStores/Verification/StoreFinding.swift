/// Something that is wrong with a store, or may be.
public struct StoreFinding: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, Sendable {
    /// Core Data would fail on it, or data are missing.
    case error
    /// The application would refuse to save the object as it is.
    case warning
    /// Nothing is lost, but it is not as Core Data leaves it.
    case hint
  }

  /// What kind of finding it is.
  public enum Kind: String, Sendable {
    /// SQLite's own check found damage.
    case damagedDatabase
    /// The version hashes are not those of the model.
    case versionHash
    /// A row of an entity that the store does not list, or that is abstract.
    case unknownEntity
    /// A key that was handed out already will be handed out again.
    case keyCounter
    /// The store says of an entity that it inherits from another one than in the model.
    case hierarchy
    /// Rows have keys that no object can have.
    case key
    /// A relationship leads to an object that is not in the store.
    case danglingReference
    /// A link of a many-to-many relationship has no object on one side.
    case danglingLink
    /// Two relationships that are inverse to each other do not agree.
    case inverse
    /// A value that must not be missing is missing.
    case missingValue
    /// An object has values that the model wants to be unique, and another has them too.
    case repeatedValue
    /// A relationship leads to an object more than once.
    case repeatedMember
    /// Values are of another kind than their attribute has, or beyond its range.
    case misfit
    /// A file that holds a value is missing.
    case missingFile
    /// A file beside the store holds no value of any object.
    case unusedFile
    /// A table or column that the model does not explain, with something in it.
    case unexplained
    /// A trigger that no derived attribute of the model needs.
    case foreignTrigger
    /// A trigger is missing that keeps a derived attribute right.
    case missingTrigger
    /// Values of a derived attribute are not what they are derived from.
    case derivedValue
    /// An index is missing that the model asks for.
    case missingIndex
    /// The store does not have one identity and one description of itself.
    case metadata
    /// No model was found, so that much cannot be checked.
    case guessedModel
    /// A relationship leads to more objects than it may.
    case surplusMembers
    /// The tables refuse rows that the model admits.
    case constraint
    /// The store lists an entity under another name than that of the model.
    case entityName
  }

  /// How bad it is.
  public let severity: Severity
  /// What kind of finding it is.
  public let kind: Kind
  /// The object, in URI form, if it is about one.
  public let object: String?
  /// The property, if it is about one.
  public let property: String?
  /// What is wrong, in one sentence.
  public let message: String

  init(_ severity: Severity, _ kind: Kind, object: String? = nil, property: String? = nil, _ message: String)
  {
    self.severity = severity
    self.kind = kind
    self.object = object
    self.property = property
    self.message = message
  }
}
