import CommandLineTool
import ObjectStore
import StoreAccess

/// `export`: the objects as tables or JSON lines, to be read by other programs and by `import`.
enum ExportCommand {
  private static let csv = Parameter<Bool>.flag("csv", "Writes tables (RFC 4180), one for each entity.")
  private static let lines = Parameter<Bool>.flag(
    "jsonl", "Writes JSON, one object a line, as `import` reads it.")
  private static let entity = Parameter<String?>.optional(
    "entity", placeholder: "NAME", "Only objects of this entity and of those that inherit from it.")
  private static let output = Parameter<String?>.optional(
    "output", placeholder: "FILE", "WRITES the file FILE instead of standard output.")
  private static let folder = Parameter<String?>.optional(
    "folder", placeholder: "FOLDER",
    "WRITES the folder FOLDER, with a file for each entity that holds its objects alone.")
  private static let overwrite = Parameter<Bool>.flag(
    "overwrite", "Replaces files that exist already. Other files in FOLDER stay.")

  static let command = Command(
    "export", "Writes objects as tables (--csv) or JSON lines (--jsonl), for other programs.",
    [
      StoreParameters.file, csv, lines, entity, output, folder, overwrite, StoreParameters.model,
      StoreParameters.lossy,
    ],
    exclusive: [[csv, lines], [output, folder], [entity, folder]],
    perform: { arguments, console in
      let isTable = try arguments[csv]
      guard try isTable || arguments[lines] else {
        throw ToolFailure.usage("nothing says in what form", advice: "give --csv or --jsonl")
      }
      let (path, folder, name) = try (arguments[output], arguments[folder], arguments[entity])
      if isTable, folder == nil, name == nil {
        throw ToolFailure.usage(
          "a table holds one entity", advice: "name it with --entity, or give a --folder for all tables")
      }
      let overwriting = try arguments[overwrite]
      let store = try StoreParameters.open(arguments)
      let entity = try name.map { try StoreParameters.entity($0, of: store.model) }
      // Before the first line is written: a program that reads it would take it for everything.
      try StoreParameters.report(
        store.unreadContents(), isAllowed: arguments[StoreParameters.lossy], console)
      let export = StoreExport(store: store, isTable: isTable)
      let outputs =
        folder.map { folder in export.fileNames.map { "\(folder)/\($0)" } } ?? path.map { [$0] } ?? []
      try StoreParameters.refuseReplacing(arguments[StoreParameters.file], with: outputs)
      if let folder {
        try WholeOutput.folder(folder, overwriting: overwriting, export.write(toFolder:))
      } else if let path {
        try WholeOutput.file(path, overwriting: overwriting) { try export.write(entity, $0) }
      } else {
        try export.write(entity) { console.write(forPrograms: $0) }
      }
    })
}

/// Goes through a store and writes each object; only one is held at a time.
private struct StoreExport {
  let store: StoreFile
  let isTable: Bool

  /// Writes the objects of an entity and of those that inherit from it, or all.
  func write(_ entity: EntityDescription?, _ write: (String) throws -> Void) throws {
    let form = form(entity)
    if let title = form.title { try write(title) }
    try store.objects().forEachObject(of: entity) { object in
      try Task.checkCancellation()
      try write(form.text(object))
    }
  }

  /// The names of the files in a folder.
  var fileNames: [String] { store.model.entities.map(fileName) }

  /// Writes a file for each entity that can have objects, all from one state of the store.
  func write(toFolder folder: String) throws {
    var open: (entity: Int, file: NewFile, text: (StoredObject) -> String)?
    var next = 0
    /// Ends the file that is open, and begins those up to that of an entity: objects come in the order of the entities.
    func begin(_ index: Int) throws {
      while next <= index {
        try open?.file.close(synchronizing: true)
        open = nil
        let entity = store.model.entities[next]
        next += 1
        guard !entity.isAbstract || next - 1 == index else { continue }
        let name = fileName(of: entity)
        let file = try NewFile("\(folder)/\(name)", shownAs: name)
        let form = form(entity)
        if let title = form.title { try file.write(title) }
        open = (entity.index, file, form.text)
      }
    }
    try store.objects().forEachObject(of: nil) { object in
      try Task.checkCancellation()
      if open?.entity != object.reference.entity { try begin(object.reference.entity) }
      guard let open else { return }
      try open.file.write(open.text(object))
    }
    try begin(store.model.entities.count - 1)
    try open?.file.close(synchronizing: true)
  }

  private func form(
    _ entity: EntityDescription?
  ) -> (title: String?, text: (StoredObject) -> String) {
    if isTable, let entity {
      let row = ObjectRow(entity, store: store)
      return (row.title, row.text)
    }
    return (nil, ObjectJSON(store: store, transformables: .bytes).text)
  }

  /// A name that every disk takes, however long that of the entity is.
  private func fileName(of entity: EntityDescription) -> String {
    var name = entity.name
    if name.utf8.count > 200 {
      while name.utf8.count > 180 { name.removeLast() }
      name += "-\(entity.index)"
    }
    return "\(name).\(isTable ? "csv" : "jsonl")"
  }
}
