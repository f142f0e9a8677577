extension Simulation {
  /// What a run may contain beyond plain entities, plain properties and plain edits.
  public enum Family: String, SimulationFamily {
    // The application's model.
    case fixed, inheritance, exclusiveBelow, ownInverse, symmetric, oneWay, ordered, unique, required,
      validated
    case compoundUnique, inheritedConstraints, otherKeyTypes, oddNumbers, bigCounters
    case naturalKeys, siblingKeys, lookAlikes, longValues, externalStorage, externalSnapshots, symmetricBelow,
      foldedKeys
    case merges, allTypes, deleteRules
    // What applications and people do.
    case chosenIdentifiers, copiedIdentifiers, remadeKeys, severalContexts, unrecorded, childContexts,
      contextUndo
    case batches, answers, undoneMerges, unsavedEdits, otherPrograms, otherProgramsChange, reusedKeys
    case twoProcesses, batchKeys, lateUndo
    // What happens to devices and storage.
    case copies, collection, clockJumps, orderedClockJumps, lostFiles, crashes,
      farBehind, equalClocks, forgedTwins, mergedCopies, farClocks
    // Versions of the model.
    case addedAttributes, renaming, reparenting, reparentedIdentifiers, contradictingNames
    case subEntityMoves, reparentedFamilies, addedConstraints, changedTypes, laterVersions
    case commonParent, freedEntities, addedInverses, relationshipRenaming, laterMerges, requiredLater
    case requiredBetween, droppedBetween

    /// What runs contain if the family is in.
    public var summary: String {
      switch self {
      case .fixed: "every fourth run has the fixed model, one of every kind of property"
      case .inheritance: "sub-entities with properties of their own, and abstract entities"
      case .exclusiveBelow: "one-to-one relationships onto entities that others inherit from"
      case .ownInverse: "to-one relationships that are their own inverse, as in “spouse”"
      case .symmetric: "to-many relationships that are their own inverse, as in “friends”"
      case .symmetricBelow: "the same of entities that others inherit from"
      case .foldedKeys: "counters and the like in entities with a natural key"
      case .oneWay: "relationships without inverse"
      case .ordered: "ordered relationships, on either side or both"
      case .unique: "uniqueness constraints"
      case .compoundUnique: "uniqueness constraints of two attributes together"
      case .inheritedConstraints: "uniqueness constraints of sub-entities on attributes that they inherit"
      case .otherKeyTypes: "natural keys that are no texts"
      case .oddNumbers: "numbers that are infinite or hardly more than zero, and dates far off"
      case .bigCounters: "counters that leave what their types can hold"
      case .required: "attributes that must have a value, with defaults"
      case .validated: "attributes with a range"
      case .naturalKeys: "entities with a natural key"
      case .siblingKeys: "natural keys in entities that have a parent in common"
      case .lookAlikes: "texts, keys and identifiers that look alike in two Unicode forms"
      case .longValues: "values that travel out of line"
      case .externalStorage: "values in files beside the store"
      case .externalSnapshots: "snapshots of stores with values in files beside them"
      case .merges: "counters, greatest and smallest values, groups"
      case .allTypes: "the rarer types of attributes"
      case .deleteRules: "relationships that cascade or deny deletions"
      case .chosenIdentifiers: "sync IDs that the application chooses"
      case .copiedIdentifiers: "objects duplicated with their sync ID"
      case .remadeKeys: "natural keys deleted and made again in one save, and moved to another object"
      case .severalContexts: "a second context with a recorder"
      case .unrecorded: "changes and deletions by a context without a recorder of its own"
      case .childContexts: "edits in child contexts"
      case .contextUndo: "undo and redo in a context"
      case .batches: "batch requests"
      case .batchKeys: "batch requests that set natural keys, unique values and counters"
      case .twoProcesses: "two processes that have one store open, and synchronise it by turns"
      case .lateUndo: "merges that are taken back after others, and after edits"
      case .answers: "conflicts answered with another value, and one by one"
      case .undoneMerges: "merges that are taken back"
      case .unsavedEdits: "merges that arrive while edits are not saved"
      case .otherPrograms: "rows that another program inserts by SQL"
      case .otherProgramsChange:
        "rows that another program inserts by SQL, and changes or deletes before anybody knows of them"
      case .reusedKeys: "rows that another program inserts under the key of a deleted one"
      case .copies: "stores that are restored, cloned, and joined by snapshot"
      case .collection: "deletions that are forgotten"
      case .clockJumps: "clocks that step back, and jump by decades"
      case .orderedClockJumps: "the same in models with ordered relationships"
      case .lostFiles: "files on the remote that nobody sees for a while"
      case .crashes: "merges that end halfway, and processes that go on from a copy of their files"
      case .farBehind: "devices beyond the horizon, which begin anew from a snapshot"
      case .equalClocks: "clocks that are equal and stand still, and many copies"
      case .forgedTwins: "sets of a second copy of a store, which says other things at the same times"
      case .mergedCopies: "copies of the stores of others that are merged"
      case .farClocks: "clocks in 1970, in some other century, and beyond what clocks follow"
      case .addedAttributes:
        "a version of the model with more attributes, to which devices migrate one by one"
      case .renaming: "a version of the model with other names, to which devices migrate one by one"
      case .reparenting:
        "a version of the model in which an entity has a new parent, to which devices migrate one by one"
      case .reparentedIdentifiers: "the same in runs in which the application chooses sync IDs"
      case .subEntityMoves: "a version of the model in which a sub-entity is below another root"
      case .reparentedFamilies: "a version of the model in which an entity with sub-entities gets a parent"
      case .addedConstraints: "a version of the model with more uniqueness constraints"
      case .changedTypes: "a version of the model in which attributes have other types"
      case .laterVersions: "a third version of the model, to which some devices come without the second"
      case .commonParent: "a version of the model in which two entities get a new parent"
      case .freedEntities: "a version of the model in which a sub-entity has no parent"
      case .addedInverses: "a version of the model in which relationships get an inverse"
      case .relationshipRenaming: "a version of the model in which relationships have other names"
      case .laterMerges:
        "a version of the model in which attributes become counters and the like, or are it no more"
      case .requiredLater: "a version of the model in which attributes must have a value, or need none"
      case .requiredBetween: "attributes that must have a value in the second of three versions alone"
      case .droppedBetween: "attributes that the second of three versions has not"
      case .contradictingNames:
        "two versions of the model that claim one former name for different things, and place an entity below different roots"
      }
    }
  }
}

extension Simulation.Family {
  /// Those that make a later version of the model, to which devices migrate.
  static let versions: [Simulation.Family] = [
    .addedAttributes, .renaming, .reparenting, .contradictingNames, .subEntityMoves, .reparentedFamilies,
    .addedConstraints, .changedTypes, .commonParent, .freedEntities, .addedInverses, .relationshipRenaming,
    .laterMerges, .requiredLater, .droppedBetween,
  ]
}
