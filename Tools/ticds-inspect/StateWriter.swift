import ChangeTracking
import CommandLineTool
import Foundation
import Inspection
import ObjectStore
import StoreAccess

/// Writes the objects of a state.
struct StateWriter {
  let state: DocumentState
  let console: Console

  func write(_ format: StateFormat, to path: String?) throws {
    let store = try state.store()
    let objects = StateObjects(store)
    guard let path else {
      try objects.forEach { console.print(json($0).line) }
      return
    }
    let places =
      ["", "-journal", "-wal", "-shm"].map { path + $0 } + [StoreAttachments.folder(ofStoreAt: path)]
    // Another store may have its files there.
    let free = places.filter { !FileManager.default.fileExists(atPath: $0) }
    do {
      try write(objects, of: store, format, to: path)
    } catch {
      // Half of it would be taken for all, and be in the way of the next try.
      for place in free { try? FileManager.default.removeItem(atPath: place) }
      throw error
    }
  }

  private func write(
    _ objects: StateObjects, of store: StoreFile, _ format: StateFormat, to path: String
  ) throws {
    switch format {
    case .jsonl:
      let file = try NewFile(path)
      try objects.forEach { try file.write(json($0).line + "\n") }
      try file.close()
    case .csv: try writeTables(objects, to: path)
    case .sqlite: try StateDatabase(path: path, model: store.model).write(objects)
    case .store: try store.copy(to: path, as: .sqlite)
    }
  }

  // MARK: JSON

  /// Each object says by itself whether the state lacks something, for there may be more of them than fit into memory.
  private func json(_ object: StateObject) -> JSONValue {
    guard !state.omissions.isEmpty, case .object(let members) = Self.json(object) else {
      return Self.json(object)
    }
    return .object(members + [.init("incomplete", true)])
  }

  private static func json(_ object: StateObject) -> JSONValue {
    [
      "version": 1, "entity": .string(object.entity), "id": .string(object.identifier),
      "attributes": .object(
        object.attributes.map { .init($0.name, ValueText.json($0.value)) }),
      "relationships": .object(
        object.relationships.map { name, isToMany, targets in
          .init(
            name,
            isToMany ? .array(targets.map { .string($0) }) : targets.first.map { .string($0) } ?? .null)
        }),
    ]
  }

  // MARK: CSV

  /// One file for each entity, with a row for its columns (RFC 4180).
  private func writeTables(_ objects: StateObjects, to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    var file: (entity: String, file: NewFile)?
    // Objects come by entity.
    try objects.forEach { object in
      if file?.entity != object.entity {
        try file?.file.close()
        let new = try NewFile("\(folder)/\(Self.fileName(of: object.entity))")
        let columns = ["id"] + object.attributes.map(\.name) + object.relationships.map(\.name)
        try new.write(CSVRow.line(columns))
        file = (object.entity, new)
      }
      let attributes = object.attributes.map { StateDifferences.text($0.value) }
      let relationships = object.relationships.map {
        $0.targets.isEmpty ? nil : $0.targets.joined(separator: " ")
      }
      try file?.file.write(CSVRow.line([object.identifier] + attributes + relationships))
    }
    try file?.file.close()
  }

  /// The name of an entity's file. Names in sets may be longer than those of files; such a one is cut, and its hash tells it apart.
  private static func fileName(of entity: String) -> String {
    let longest = 200
    guard entity.utf8.count > longest else { return "\(entity).csv" }
    var beginning = entity
    while beginning.utf8.count > longest { beginning.removeLast() }
    return "\(beginning)-\("\(ContentHash(of: Array(entity.utf8)))".prefix(16)).csv"
  }
}
