import TICDSSQLite

/// Why a replica refuses to go on.
public struct ReplicaError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure; new ones may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// The bookkeeping was written by a newer version of this library.
    public static let newerBookkeeping = Code(name: "newerBookkeeping")
    /// The bookkeeping was written by a version of this library before the first.
    public static let olderBookkeeping = Code(name: "olderBookkeeping")
    /// The bookkeeping contradicts itself.
    public static let damagedBookkeeping = Code(name: "damagedBookkeeping")
    /// A change set refers to something that it does not declare, or exceeds ``SetLimits``.
    public static let invalidSet = Code(name: "invalidSet")
    /// A change set does not follow the one applied last from its author.
    public static let outOfOrder = Code(name: "outOfOrder")
    /// The local store names an entity that its schema does not have.
    public static let unknownEntity = Code(name: "unknownEntity")
    /// The store's model has more properties than the bookkeeping has numbers for.
    public static let modelTooLarge = Code(name: "modelTooLarge")
    /// Devices would not agree under this model of the store, or version of it.
    public static let unsuitableModel = Code(name: "unsuitableModel")
    /// A copy of a store is damaged, or none that a replica has made.
    public static let invalidSnapshot = Code(name: "invalidSnapshot")
  }

  /// What kind of failure it is.
  public let code: Code
  /// The store or set concerned.
  public let subject: String
  /// One sentence that says what was found.
  public let message: String
  /// What a person can do about it.
  public let recovery: String

  /// Of a set that is refused: who made it. The sets of others are none the worse for it.
  public private(set) var author: AuthorID?
  /// Of a set that is refused: its number.
  public private(set) var sequence: UInt64?

  /// One line for a log or a terminal.
  public var description: String { "\(subject): \(message) \(recovery)" }

  static func newerBookkeeping(path: String, version: Int64) -> ReplicaError {
    ReplicaError(
      code: .newerBookkeeping, subject: path,
      message: "The bookkeeping has version \(version); this library knows \(Bookkeeping.version).",
      recovery: "Update the application on this device.")
  }

  static func olderBookkeeping(path: String, version: Int64) -> ReplicaError {
    ReplicaError(
      code: .olderBookkeeping, subject: path,
      message:
        "The bookkeeping has version \(version), which was never released; this library knows \(Bookkeeping.version).",
      recovery: "Remove the tables that begin with TICDS_ and join the document anew.")
  }

  static func damagedBookkeeping(path: String, _ message: String) -> ReplicaError {
    ReplicaError(
      code: .damagedBookkeeping, subject: path, message: message,
      recovery: "Restore the store from a copy, or join the document anew.")
  }

  /// A change that names what its set does not declare.
  static func undeclared(_ set: ChangeSet) -> ReplicaError {
    invalidSet(set, "A change names an entity or property that the set does not declare.")
  }

  static func invalidSet(_ set: ChangeSet, _ message: String) -> ReplicaError {
    ReplicaError(
      code: .invalidSet, subject: "set \(set.sequence) of \(set.author)", message: message,
      recovery: "Run ticds-inspect verify on the remote.", author: set.author, sequence: set.sequence)
  }

  static func invalidSnapshot(path: String, _ message: String) -> ReplicaError {
    ReplicaError(
      code: .invalidSnapshot, subject: path, message: message, recovery: "Take another copy of the store.")
  }

  static func modelTooLarge(entity: String, _ message: String) -> ReplicaError {
    ReplicaError(
      code: .modelTooLarge, subject: entity, message: message,
      recovery: "Divide the entity, or take properties out of the synchronised model.")
  }

  static func otherEnd(entity: String, relationship: String) -> ReplicaError {
    ReplicaError(
      code: .unsuitableModel, subject: "\(entity).\(relationship)",
      message: """
        What was written to this relationship is recorded at this end, and this version of the model would record it at the other, \
        where devices with former versions do not look.
        """,
      recovery: """
        Let both ends keep the names that they had first as renaming identifiers; if the relationship had no inverse before, or led to \
        one object, declare another one beside it.
        """)
  }

  static func nameOfDropped(_ subject: String) -> ReplicaError {
    ReplicaError(
      code: .unsuitableModel, subject: subject,
      message: """
        Versions of the model have dropped what had this name, and have given the name to something else. Devices would take the one \
        for the other.
        """,
      recovery: "Let the next version call it by a name that nothing has had yet.")
  }

  static func unsettledConstraint(entity: String, properties: [String]) -> ReplicaError {
    ReplicaError(
      code: .unsuitableModel, subject: "\(entity).\(properties.joined(separator: ","))",
      message: """
        This uniqueness constraint has a relationship, a derived attribute or one that stays on the device, so that nobody can settle \
        which of two equal objects keeps what when devices merge.
        """,
      recovery: """
        Let the constraint have nothing but attributes that are synchronised, or a natural key tell which objects are one.
        """)
  }

  static func uniqueFold(entity: String, property: String) -> ReplicaError {
    ReplicaError(
      code: .unsuitableModel, subject: "\(entity).\(property)",
      message: """
        What devices add up here, or take the greatest or smallest of, is to be unique, but it belongs to nobody: of two equal results \
        neither could give way.
        """,
      recovery: "Take the attribute out of the uniqueness constraint, or let the latest value count.")
  }

  static func unknownEntity(path: String, _ message: String) -> ReplicaError {
    ReplicaError(
      code: .unknownEntity, subject: path, message: message,
      recovery: "Correct the conformance to LocalStore: entities are positions in its schema.")
  }

  static func outOfOrder(_ set: ChangeSet, expected: UInt64) -> ReplicaError {
    ReplicaError(
      code: .outOfOrder, subject: "set \(set.sequence) of \(set.author)",
      message: "Set \(expected) of this author comes next.",
      recovery: "Apply the sets of an author in their order.")
  }
}
