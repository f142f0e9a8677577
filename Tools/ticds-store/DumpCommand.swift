import CommandLineTool
import ObjectStore

/// `dump`: every object, one JSON value a line.
enum DumpCommand {
  private static let entity = Parameter<String?>.optional(
    "entity", placeholder: "NAME", "Only objects of this entity and of those that inherit from it.")
  private static let json = Parameter<Bool>.flag(
    "json", "Lists what is not shown on standard output too, as JSON, after the objects.")

  static let command = Command(
    "dump", "Prints every object as JSON, one a line.",
    [
      StoreParameters.file, StoreParameters.model, entity, StoreParameters.lossy, StoreParameters.tolerant,
      json,
    ],
    perform: { arguments, console in
      if try arguments[StoreParameters.tolerant], let store = try StoreParameters.openTolerantly(arguments) {
        return try show(store, arguments, console)
      }
      let store = try StoreParameters.open(arguments)
      let entity = try arguments[entity].map { try StoreParameters.entity($0, of: store.model) }
      let objectJSON = ObjectJSON(store: store)
      try store.objects().forEachObject(of: entity) { object in
        try Task.checkCancellation()
        console.print(objectJSON.json(object).line)
      }
      let losses = try store.unreadContents()
      for loss in losses { console.complain(PrintableText.line("ticds-store: not shown: \(loss)")) }
      if try arguments[json] {
        for loss in losses { console.print(leftOut(loss.place, loss.reason, loss.count).line) }
      }
      guard try losses.isEmpty || arguments[StoreParameters.lossy] else {
        throw ToolFailure(
          .incomplete, "the store holds what was not shown",
          advice: "--model names the store's own model, --lossy does without what is listed")
      }
    })

  private static func show(_ store: TolerantStore, _ arguments: Arguments, _ console: Console) throws {
    let entity = try arguments[entity].map { try StoreParameters.entity($0, of: store.model) }
    let objectJSON = ObjectJSON(store: store)
    try store.forEachObject(of: entity) { object in
      try Task.checkCancellation()
      console.print(objectJSON.json(object).line)
    }
    let omissions = store.omissions
    for omission in omissions {
      console.complain(PrintableText.line("ticds-store: damaged or missing: \(omission)"))
    }
    if try arguments[json] {
      for omission in omissions {
        console.print(leftOut(omission.place, omission.reason, omission.count).line)
      }
    }
    guard try omissions.isEmpty || arguments[StoreParameters.lossy] else {
      throw ToolFailure(
        .incomplete, "the store was shown as far as it can be read",
        advice: "what is listed is damaged or missing; --model names a model where the store keeps none")
    }
  }

  /// A line for programs about what was left out. It has no `entity`, so it is not taken for an object.
  private static func leftOut(_ place: String, _ reason: String, _ count: Int?) -> JSONValue {
    [
      "leftOut": .string(place), "reason": .string(reason),
      "count": count.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}
