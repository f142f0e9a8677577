import TICDSSQLite

/// Why a context could not save. Its unsaved changes are still there.
public struct SaveError: Error, Sendable, CustomStringConvertible {
  /// One thing that stands in the way.
  public enum Problem: Sendable {
    /// A property that must have a value has none.
    case missingValue(ObjectID, property: String)
    /// A value is not of the attribute's type, outside of its range, or was refused by a ``ValueCheck``.
    case invalidValue(ObjectID, property: String, reason: String)
    /// A relationship has too few or too many members.
    case invalidCount(ObjectID, property: String, count: Int)
    /// An object was to be deleted while a relationship with the rule *deny* has members.
    case deletionDenied(ObjectID, property: String)
    /// The row was changed or deleted elsewhere since the object was fetched.
    case conflict(ObjectID, isDeleted: Bool)
    /// A relationship leads to an object that was deleted, here or elsewhere.
    case danglingReference(ObjectID, property: String, target: ObjectID)
    /// An object has the same values for a uniqueness constraint as another one, saved or not.
    case duplicate(ObjectID, of: ObjectID, properties: [String])
    /// A rule of the database refuses the change, for a reason that is not in the model.
    case notUnique(String)
    /// A property or relationship was used in a way that cannot be.
    case misuse(ContextError)
    /// An object's own validation refused it.
    case refused(ObjectID, reason: String)
  }

  /// Everything that stands in the way.
  public let problems: [Problem]

  init(_ problems: [Problem]) {
    self.problems = problems
  }

  /// What a person can do about it.
  public var recovery: String {
    let isConflict = problems.contains { if case .conflict = $0 { true } else { false } }
    return isConflict
      ? "Refresh the objects that were changed elsewhere, apply the changes again, then save."
      : "Correct the values that are named, then save again."
  }

  /// One line for each problem. Values are not shown.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension SaveError.Problem: CustomStringConvertible {
  /// One line for a log or a terminal.
  public var description: String {
    switch self {
    case .missingValue(let object, let property): "\(object): \(property) has no value"
    case .invalidValue(let object, let property, let reason): "\(object): \(property) \(reason)"
    case .invalidCount(let object, let property, let count): "\(object): \(property) has \(count) members"
    case .deletionDenied(let object, let property):
      "\(object): cannot be deleted while \(property) has members"
    case .conflict(let object, let isDeleted):
      "\(object): was \(isDeleted ? "deleted" : "changed") elsewhere since it was fetched"
    case .danglingReference(let object, let property, let target):
      "\(object): \(property) leads to \(target), which was deleted"
    case .duplicate(let object, let other, let properties):
      "\(object): \(properties.joined(separator: ", ")) must be unique, but \(other) has the same"
    case .notUnique(let message): message
    case .misuse(let error): error.description
    case .refused(let object, let reason): "\(object): \(reason)"
    }
  }
}
