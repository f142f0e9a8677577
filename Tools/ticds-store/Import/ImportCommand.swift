import CommandLineTool
import ObjectStore
import StoreAccess

/// `import`: brings objects from JSON lines into a store, all of them or none.
enum ImportCommand {
  private static let store = Parameter<String>.positional(
    "FILE", "The SQLite store that gets the objects. It is WRITTEN.")
  private static let input = Parameter<String>.positional(
    "INPUT", "JSON lines as `export --jsonl` and `dump` write them; - for standard input.")
  private static let dryRun = Parameter<Bool>.flag(
    "dry-run", "Does everything but keep it: the store stays as it is.")
  private static let lossy = Parameter<Bool>.flag(
    "lossy", "Leaves out what cannot be brought in of an object, and lists it.")

  static let command = Command(
    "import", "Brings objects from JSON lines into a store, all or none; WRITES the store FILE.",
    [store, input, dryRun, lossy, StoreParameters.model],
    perform: { arguments, console in
      let (path, name) = try (arguments[store], arguments[input])
      let (isRehearsal, isLossy) = try (arguments[dryRun], arguments[lossy])
      let model = try arguments[StoreParameters.model].map(ModelArgument.load)
      // Named before the store is opened: there is no use in looking at a store if there is nothing to bring in.
      let source = try name == "-" ? LineSource.standardInput(console) : LineSource.file(name)
      if !isRehearsal { StoreParameters.takeBackUnfinished(path) }
      let store = try open(path, model, isLossy: isLossy, console)
      let inputName = name == "-" ? "standard input" : name
      let problems = ImportProblems(input: inputName, console)
      let count: Int
      do {
        count = try await store.performBackground { context in
          let objects = ObjectImport(context, store, problems, isLossy: isLossy)
          var lines = try JSONLines(LineReader(try source.open()), input: inputName)
          while let line = try lines.next() {
            try Task.checkCancellation()
            try objects.read(line.bytes, number: line.number)
            console.progress("\(objects.count) objects read")
          }
          try problems.stopIfAny()
          try objects.link()
          try problems.stopIfAny()
          try objects.save(isRehearsal: isRehearsal)
          return objects.count
        }
      } catch {
        if StoreParameters.isUnfinished(path) {
          console.complain(
            "ticds-store: the journal beside “\(path)” takes back what was begun; the next import does that first."
          )
        }
        throw error
      }
      let objects = count == 1 ? "1 object" : "\(count) objects"
      console.print(isRehearsal ? "\(objects) can be imported." : "\(objects) imported.")
    })

  private static func open(
    _ path: String, _ model: ManagedObjectModel?, isLossy: Bool, _ console: Console
  ) throws -> PersistentStore {
    let file = try StoreFile(path: path, model: model)
    guard let looked = file.persistentStore else {
      throw ToolFailure(
        .unsupported, "“\(path)” is a binary store, which is written as a whole",
        advice: "import into a copy made with copy --as sqlite, and copy that back")
    }
    guard file.modelOrigin != .derived else {
      throw ToolFailure(
        .unsupported, "“\(path)” does not keep its model, so nothing tells what its objects may be",
        advice: "name the model with --model")
    }
    let triggers = try looked.foreignTriggers()
    if let first = triggers.first {
      let more = triggers.count > 1 ? " and \(triggers.count - 1) more" : ""
      throw ToolFailure(
        .unsupported,
        "“\(path)” has triggers that its model does not make (\(first)\(more)); they would run with every object",
        advice:
          "import into a copy made with copy, which takes none of them along, or remove them with DROP TRIGGER"
      )
    }
    let connection = try looked.newConnection()
    try StoreParameters.refuseSynchronized(
      path, connection, "which would not be told of what is imported",
      advice: "import into another store, and let the application take the objects over")
    if case .integer(let count) = try? connection.first("SELECT count(*) FROM ATRANSACTION"), count > 0 {
      console.complain(
        "ticds-store: “\(path)” keeps a persistent history, which will not tell of what is imported.")
      guard isLossy else {
        throw ToolFailure(
          .incomplete, "programs that follow the history of “\(path)” would miss what is imported",
          advice: "--lossy imports all the same")
      }
    }
    var options = PersistentStore.Options(access: .readWrite)
    options.keepsJournalMode = true
    return try PersistentStore(model: file.model, path: file.path, options: options)
  }
}
