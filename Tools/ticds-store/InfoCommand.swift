import CommandLineTool
import CoreDataFormats
import Foundation
import ObjectStore
import StoreAccess

/// `info`: what a store says about itself, and how many objects of each entity it has.
enum InfoCommand {
  static let command = Command(
    "info", "Shows what a store says about itself and how many objects it has.",
    [StoreParameters.file, StoreParameters.model, StoreParameters.json],
    perform: { arguments, console in
      let store = try StoreParameters.open(arguments)
      let counts = try store.objectCounts()
      if try arguments[StoreParameters.json] {
        console.print(json(store, counts).text)
      } else {
        show(store, counts, console)
      }
    })

  private static func show(_ store: StoreFile, _ counts: [Int], _ console: Console) {
    console.print("kind        \(name(of: store.kind))")
    console.print("identity    \(PrintableText.line(store.uuid))")
    if case .integer(let version) = store.metadata["NSPersistenceFrameworkVersion"] {
      console.print(PrintableText.line("framework   \(version)"))
    }
    console.print("model       \(words(for: store.modelOrigin))")
    if let problem = store.modelProblem { console.print("            \(PrintableText.line(problem))") }
    if !identifiers(store).isEmpty {
      console.print("version     \(PrintableText.line(identifiers(store).joined(separator: ", ")))")
    }
    let differences = store.modelOrigin == .derived ? [] : store.hashDifferences
    if store.modelOrigin != .derived {
      console.print(
        "hashes      \(differences.isEmpty ? "are those of the model" : "differ from the model's:")")
      for line in differences { console.print("            \(PrintableText.line(line))") }
    }
    let width = store.model.entities.map(\.name.count).max() ?? 0
    console.print("objects")
    for (entity, count) in zip(store.model.entities, counts) {
      let depth = String(repeating: "  ", count: depth(of: entity))
      let name = depth + entity.name
      console.print(
        "  \(name.padding(toLength: max(width + 4, name.count), withPad: " ", startingAt: 0)) \(count)")
    }
  }

  private static func name(of kind: StoreFile.Kind) -> String {
    switch kind {
    case .sqlite: "SQLite"
    case .binary: "binary"
    case .xml: "XML"
    }
  }

  private static func json(_ store: StoreFile, _ counts: [Int]) -> JSONValue {
    let own = store.metadata.filter {
      !$0.key.hasPrefix("NS") && !$0.key.hasPrefix("_NS") && $0.key != "TICDS_Model"
    }
    var members: [JSONValue.Member] = [
      .init("kind", .string(store.kind.rawValue)), .init("uuid", .string(store.uuid)),
      .init("modelOrigin", .string(store.modelOrigin.rawValue)),
      .init("modelProblem", store.modelProblem.map { .string($0) } ?? .null),
      .init("versionIdentifiers", .array(identifiers(store).map { .string($0) })),
    ]
    if case .integer(let version) = store.metadata["NSPersistenceFrameworkVersion"] {
      members.append(.init("frameworkVersion", .integer(version)))
    }
    let entities = zip(store.model.entities, counts).map { entity, count -> JSONValue in
      let recorded =
        store.versionHashes[entity.name].map { JSONValue.string(HashCommand.hexadecimal($0)) } ?? .null
      return [
        "name": .string(entity.name), "parent": entity.parent.map { .string($0.name) } ?? .null,
        "abstract": .boolean(entity.isAbstract), "objects": .integer(Int64(count)), "versionHash": recorded,
        "matchesModel": .boolean(store.versionHashes[entity.name] == entity.versionHash),
      ]
    }
    members.append(.init("entities", .array(entities)))
    members.append(
      .init(
        "metadata",
        .object(own.sorted { $0.key < $1.key }.map { .init($0.key, ArchivedJSON.json($0.value)) })))
    return .object(members)
  }

  private static func identifiers(_ store: StoreFile) -> [String] {
    let list: [ArchivedObject] =
      switch store.metadata["NSStoreModelVersionIdentifiers"] {
      case .array(let values): values
      case .set(let values): Array(values)
      default: []
      }
    return list.compactMap { if case .string(let text) = $0, !text.isEmpty { text } else { nil } }
  }

  private static func words(for origin: StoreFile.ModelOrigin) -> String {
    switch origin {
    case .named: "as named"
    case .embedded: "left in the file by the tool that made it"
    case .cache: "from the cache in the file"
    case .derived: "derived from what is stored; names and types are guesses"
    }
  }

  private static func depth(of entity: EntityDescription) -> Int {
    entity.parent.map { depth(of: $0) + 1 } ?? 0
  }
}
