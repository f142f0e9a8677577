import CommandLineTool
import ObjectStore

/// `dump`: every object, one JSON value a line.
enum DumpCommand {
  private static let entity = Parameter<String?>.optional(
    "entity", placeholder: "NAME", "Only objects of this entity and of those that inherit from it.")

  static let command = Command(
    "dump", "Prints every object as JSON, one a line.",
    [StoreParameters.file, StoreParameters.model, entity, StoreParameters.lossy],
    perform: { arguments, console in
      let store = try StoreParameters.open(arguments)
      let entity = try arguments[entity].map { try StoreParameters.entity($0, of: store.model) }
      let objectJSON = ObjectJSON(store: store)
      try store.objects().forEachObject(of: entity) { object in
        try Task.checkCancellation()
        console.print(objectJSON.json(object).line)
      }
      let losses = try store.unreadContents()
      for loss in losses { console.complain("ticds-store: not shown: \(loss)") }
      guard try losses.isEmpty || arguments[StoreParameters.lossy] else {
        throw ToolFailure(
          .incomplete, "the store holds what was not shown",
          advice: "--model names the store's own model, --lossy does without what is listed")
      }
    })
}
