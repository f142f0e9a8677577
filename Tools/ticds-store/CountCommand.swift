import CommandLineTool
import ObjectStore
import StoreAccess

/// `count`: how many objects there are of each entity, or for how many of one a condition holds.
enum CountCommand {
  private static let entity = Parameter<String?>.optionalPositional(
    "ENTITY",
    "The entity whose objects are counted, with those that inherit from it. Without it: all entities.")
  private static let condition = Parameter<String?>.optional(
    "where", placeholder: "EXPR", "Counts only objects for which a condition of `query` holds.")

  static let command = Command(
    "count", "Counts the objects of each entity, or those of one for which a condition holds.",
    [StoreParameters.file, entity, condition, StoreParameters.model, StoreParameters.json],
    perform: { arguments, console in
      let (name, text) = try (arguments[entity], arguments[condition])
      guard name != nil || text == nil else {
        throw ToolFailure.usage(
          "--where needs the entity that it is about", advice: "name it after the store")
      }
      let store = try StoreParameters.open(arguments)
      let isForPrograms = try arguments[StoreParameters.json]
      guard let name else { return try show(store, isForPrograms, console) }
      let entity = try StoreParameters.entity(name, of: store.model)
      let count = try text.map { try Self.count(entity, where: $0, store) } ?? total(of: entity, store)
      guard isForPrograms else { return console.print("\(count)") }
      console.print(
        JSONValue.object([.init("entity", .string(entity.name)), .init("count", .integer(Int64(count)))]).line
      )
    })

  private static func total(of entity: EntityDescription, _ store: StoreFile) throws -> Int {
    let counts = try store.objectCounts()
    return entity.familyIndices.reduce(0) { $0 + counts[$1] }
  }

  private static func count(
    _ entity: EntityDescription, where condition: String, _ store: StoreFile
  ) throws -> Int {
    let source = try store.objects()
    let filter = try QueryFilter(QueryParser.parse(condition), entity: entity, store: store, source: source)
    var count = 0
    try source.forEachObject(of: entity) { object in
      try Task.checkCancellation()
      if try filter.holds(for: object) { count += 1 }
    }
    return count
  }

  private static func show(_ store: StoreFile, _ isForPrograms: Bool, _ console: Console) throws {
    let counts = try store.objectCounts()
    let rows = store.model.entities.map { entity in
      (entity, own: counts[entity.index], all: entity.familyIndices.reduce(0) { $0 + counts[$1] })
    }
    if isForPrograms {
      for (entity, own, all) in rows {
        let line: JSONValue = [
          "entity": .string(entity.name), "parent": entity.parent.map { .string($0.name) } ?? .null,
          "own": .integer(Int64(own)), "withSubentities": .integer(Int64(all)),
        ]
        console.print(line.line)
      }
      return
    }
    console.print(
      "\(counts.reduce(0, +)) objects; of each entity alone, and with those that inherit from it:")
    let width = [rows.map { "\($0.own)".count }.max() ?? 0, rows.map { "\($0.all)".count }.max() ?? 0]
    for (entity, own, all) in rows {
      let indent = String(repeating: "  ", count: depth(of: entity))
      console.print(
        "  \(right(own, width[0]))  \(right(all, width[1]))  \(indent)\(PrintableText.line(entity.name))")
    }
  }

  private static func right(_ number: Int, _ width: Int) -> String {
    let text = "\(number)"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func depth(of entity: EntityDescription) -> Int {
    entity.parent.map { depth(of: $0) + 1 } ?? 0
  }
}
