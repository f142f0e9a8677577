import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// `history`: the saves that Core Data's persistent history tells of.
enum HistoryCommand {
  private static let since = Parameter<String?>.optional(
    "since", placeholder: "COPY", "Only saves that COPY, an earlier copy of the store, does not tell of.")
  private static let after = Parameter<String?>.optional(
    "after", placeholder: "N", "Only saves after the one of this number.")
  private static let author = Parameter<String?>.optional(
    "author", placeholder: "NAME", "Only saves of this author.")
  private static let entity = Parameter<String?>.optional(
    "entity", placeholder: "NAME", "Only changes of objects of this entity and of those that inherit from it."
  )

  static let command = Command(
    "history",
    "Shows the saves in Core Data's persistent history: when, by whom, what they changed.",
    [
      StoreParameters.file, since, after, author, entity, StoreParameters.model, StoreParameters.json,
    ],
    exclusive: [[since, after]],
    perform: { arguments, console in
      let number = try number(arguments[after])
      let store = try StoreParameters.open(arguments)
      let entity = try arguments[entity].map { try StoreParameters.entity($0, of: store.model) }
      let form: any HistoryForm =
        try arguments[StoreParameters.json] ? HistoryJSON(store: store) : HistoryText(store: store)
      guard let kept = store.persistentStore, let history = try StoreHistory(kept) else {
        throw ToolFailure(
          .notFound, "“\(store.path)” keeps no persistent history",
          advice: "`ticds-store diff OLD NEW` tells what changed between two copies of a store")
      }
      let first = try arguments[since].map { try last(in: $0, of: store) } ?? number
      let author = try arguments[author]
      // A save is shown with its first change of the entity, if one was named.
      var waiting: String?
      try history.forEach(after: first) { transaction in
        try Task.checkCancellation()
        if let author, transaction?.author != author { return false }
        waiting = form.text(transaction)
        if entity == nil { show(&waiting, console) }
        return true
      } change: { change in
        try Task.checkCancellation()
        if let entity, change.object.map({ !store.model.entities[$0.entity].isKind(of: entity) }) ?? true {
          return
        }
        show(&waiting, console)
        console.print(form.text(change))
      }
    })

  private static func show(_ text: inout String?, _ console: Console) {
    if let text { console.print(text) }
    text = nil
  }

  private static func number(_ text: String?) throws(ToolFailure) -> Int64 {
    guard let text else { return 0 }
    guard let number = Int64(text), number >= 0 else {
      throw .usage("--after does not take “\(text)”", advice: "it takes a whole number from 0")
    }
    return number
  }

  /// The number of the last save that another copy of the store tells of.
  private static func last(in path: String, of store: StoreFile) throws -> Int64 {
    let copy = try StoreFile(path: path)
    guard copy.uuid == store.uuid else {
      throw ToolFailure(
        .unsupported, "“\(path)” is no copy of the store, for its identity is another one",
        advice: "`ticds-store diff` compares stores that are not copies")
    }
    return try copy.persistentStore.flatMap { try StoreHistory($0) }?.lastTransaction() ?? 0
  }
}

/// How the history is printed.
private protocol HistoryForm {
  /// `nil` stands for the transaction of changes that name none of the store.
  func text(_ transaction: HistoryTransaction?) -> String
  func text(_ change: HistoryChange) -> String
}

/// One JSON value a line: each save, and after it its changes.
private struct HistoryJSON: HistoryForm {
  let store: StoreFile

  func text(_ transaction: HistoryTransaction?) -> String {
    let time = transaction?.time
    func name(_ text: String??) -> JSONValue { (text ?? nil).map { .string($0) } ?? .null }
    let value: JSONValue = [
      "transaction": transaction.map { .integer($0.number) } ?? .null,
      "time": time.map { seconds in DateText.text(seconds).map { .string($0) } ?? ValueJSON.number(seconds) }
        ?? .null,
      "author": name(transaction?.author), "context": name(transaction?.contextName),
      "bundle": name(transaction?.bundle), "process": name(transaction?.process),
    ]
    return value.line
  }

  func text(_ change: HistoryChange) -> String {
    let entity = change.object.map { store.model.entities[$0.entity] }
    func name(_ index: Int) -> String { entity?.properties[index].name ?? "" }
    var members: [JSONValue.Member] = [
      .init("change", .integer(change.number)), .init("kind", kind(change.kind)),
      .init("entity", entity.map { .string($0.name) } ?? .integer(change.entityNumber)),
      .init("id", change.object.map { .string(store.uri(of: $0)) } ?? .null),
    ]
    if !change.mask.isEmpty {
      members.append(
        .init(
          "properties",
          change.properties.map { .array($0.map { .string(name($0)) }.sorted(by: before)) } ?? .null))
      if change.properties == nil {
        members.append(.init("mask", .string(Data(change.mask).base64EncodedString())))
      }
    }
    if !change.tombstone.isEmpty {
      let values = change.tombstone.map { index, value in
        JSONValue.Member(name(index), ValueJSON.json(value, entity?.attribute(at: index)?.type ?? .undefined))
      }
      members.append(.init("tombstone", .object(values.sorted { $0.key < $1.key })))
    }
    return JSONValue.object(members).line
  }

  private func before(_ left: JSONValue, _ right: JSONValue) -> Bool { left.line < right.line }

  private func kind(_ kind: HistoryChange.Kind) -> JSONValue {
    switch kind {
    case .inserted: "inserted"
    case .updated: "updated"
    case .deleted: "deleted"
    case .other(let number): .integer(number)
    }
  }
}

/// Lines for people.
private struct HistoryText: HistoryForm {
  let store: StoreFile

  func text(_ transaction: HistoryTransaction?) -> String {
    guard let transaction else { return "changes of transactions that the history does not have (any more)" }
    let time = transaction.time.map(DateText.words) ?? "at no known time"
    let names = [
      ("author", transaction.author), ("context", transaction.contextName), ("bundle", transaction.bundle),
      ("process", transaction.process),
    ].compactMap { name, value in value.map { ", \(name) \($0)" } }
    return PrintableText.line("transaction \(transaction.number)  \(time)\(names.joined())")
  }

  func text(_ change: HistoryChange) -> String {
    let entity = change.object.map { store.model.entities[$0.entity] }
    let object =
      change.object.map(store.uri)
      ?? "object \(change.key) of an entity that the model does not have (\(change.entityNumber))"
    let sign =
      switch change.kind {
      case .inserted: "+"
      case .updated: "~"
      case .deleted: "-"
      case .other(let number): "? \(number)"
      }
    var parts: [String] = []
    if let entity, let properties = change.properties {
      parts.append(properties.map { entity.properties[$0].name }.sorted().joined(separator: ", "))
    } else if !change.mask.isEmpty {
      parts.append("properties that the model does not explain")
    }
    for (index, value) in change.tombstone.sorted(by: { $0.key < $1.key }) {
      guard let attribute = entity?.attribute(at: index) else { continue }
      parts.append("\(attribute.name): \(ValueJSON.json(value, attribute.type).line)")
    }
    let details = parts.isEmpty ? "" : "  " + parts.joined(separator: "; ")
    return PrintableText.line("    \(sign) \(object)\(details)")
  }
}
