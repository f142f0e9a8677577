import CommandLineTool
import Foundation
import ObjectStore

/// `query`: the objects of an entity for which a condition holds.
enum QueryCommand {
  private static let entity = Parameter<String>.positional(
    "ENTITY", "The entity whose objects are asked for; those that inherit from it count too.")
  private static let condition = Parameter<String?>.optional(
    "where", placeholder: "EXPR", "A condition, as in \"title BEGINSWITH[cd] 'a' AND folder.name != nil\".")
  private static let sortKeys = Parameter<[String]>.repeated(
    "sort", placeholder: "KEY",
    "A property to sort by; with a dash before it, from the greatest to the least.")
  private static let limit = Parameter<String?>.optional(
    "limit", placeholder: "N", "Prints at most so many objects.")

  private static let csv = Parameter<Bool>.flag("csv", "Prints a table for other programs (RFC 4180).")

  static let command = Command(
    "query",
    "Prints the objects of an entity for which a condition holds, as JSON, one a line, or as a table.",
    [StoreParameters.file, entity, condition, sortKeys, limit, StoreParameters.model, csv],
    perform: { arguments, console in
      let limit = try count(arguments[limit])
      let store = try StoreParameters.open(arguments)
      let entity = try StoreParameters.entity(arguments[entity], of: store.model)
      let source = try store.objects()
      let parsed = try arguments[condition].map(QueryParser.parse)
      let filter = try parsed.map { try QueryFilter($0, entity: entity, store: store, source: source) }
      let keys = try arguments[sortKeys].map { try QuerySortKey($0, entity: entity, model: store.model) }

      let text: (StoredObject) -> String
      if try arguments[csv] {
        let row = ObjectRow(entity, store: store)
        console.write(forPrograms: row.title)
        text = row.text
      } else {
        text = ObjectJSON(store: store).text
      }
      if keys.isEmpty {
        try printMatches(of: entity, in: source, filter, limit) { console.write(forPrograms: text($0)) }
      } else {
        var sorted = QuerySorting(keys: keys, limit: limit)
        try source.forEachObject(of: entity) { object in
          try Task.checkCancellation()
          if try filter?.holds(for: object) ?? true { try sorted.insert(object, from: source) }
        }
        for object in sorted.objects { console.write(forPrograms: text(object)) }
      }
    })

  private struct Enough: Error {}

  private static func printMatches(
    of entity: EntityDescription, in source: any StoredObjectSource, _ filter: QueryFilter?, _ limit: Int,
    _ show: (StoredObject) -> Void
  ) throws {
    var count = 0
    if limit == 0 { return }
    do {
      try source.forEachObject(of: entity) { object in
        try Task.checkCancellation()
        guard try filter?.holds(for: object) ?? true else { return }
        show(object)
        count += 1
        if count == limit { throw Enough() }
      }
    } catch is Enough {}
  }

  private static func count(_ text: String?) throws(ToolFailure) -> Int {
    guard let text else { return .max }
    guard let count = Int(text), count >= 0 else {
      throw .usage("--limit does not take “\(text)”", advice: "it takes a whole number from 0")
    }
    return count
  }
}
