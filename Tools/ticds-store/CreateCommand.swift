import CommandLineTool
import ObjectStore
import StoreAccess

/// `create`: makes an empty store for a model.
enum CreateCommand {
  private static let model = Parameter<String>.positional(
    "MODEL", "An .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store, whose own model is taken.")
  private static let file = Parameter<String>.positional("FILE", "The new store; there must be no such file.")
  private static let kind = Parameter<String?>.optional(
    "as", placeholder: "sqlite|binary", "The kind of the new store. Without it: sqlite.")

  static let command = Command(
    "create", "Makes an empty store for a model; WRITES the file FILE.", [model, file, kind],
    perform: { arguments, _ in
      let kind = try CopyCommand.storeKind(arguments[kind]) ?? .sqlite
      try StoreParameters.refuseJournal(arguments[file])
      let source = NoObjects(model: try ModelArgument.load(arguments[model]))
      if source.model.entities.isEmpty {
        throw ToolFailure(
          .unsupported, "“\(try arguments[model])” has no entities, so a store of it could hold nothing",
          advice: "add an entity to the model")
      }
      try StoreFile.write(source, to: arguments[file], as: kind)
    })
}

/// A store without objects.
private struct NoObjects: StoredObjectSource {
  let model: ManagedObjectModel

  func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) {}

  func object(_ reference: StoredObject.Reference) -> StoredObject? { nil }
}
