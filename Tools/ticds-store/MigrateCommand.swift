import CommandLineTool
import ObjectStore
import StoreAccess

/// `migrate`: brings a store up to another version of its model.
enum MigrateCommand {
  private static let file = Parameter<String>.positional(
    "FILE", "The SQLite store. It is written only with --in-place.")
  private static let target = Parameter<String?>.optional(
    "to", placeholder: "MODEL", "The version of the model to migrate to, or a store that has it.")
  private static let output = Parameter<String?>.optional(
    "output", placeholder: "DST", "The new store; there must be no such file.")
  private static let inPlace = Parameter<Bool>.flag("in-place", "Migrates FILE itself.")

  static let command = Command(
    "migrate", "Brings a store up to another version of its model; WRITES the file DST, or FILE.",
    [file, target, output, inPlace, StoreParameters.model, StoreParameters.lossy],
    perform: { arguments, console in
      guard let target = try arguments[target] else {
        throw ToolFailure.usage("--to is missing", advice: "it names the model to migrate to")
      }
      let destination = try arguments[output]
      let isInPlace = try arguments[inPlace]
      guard (destination == nil) == isInPlace else {
        throw ToolFailure.usage(
          "where to write is not clear", advice: "give either --output or --in-place")
      }
      if let destination { try StoreParameters.refuseJournal(destination) }
      let model = try ModelArgument.load(target)
      if isInPlace { try StoreParameters.takeBackUnfinished(arguments[file]) }
      let store = try StoreFile(
        path: arguments[file], model: arguments[StoreParameters.model].map(ModelArgument.load))
      try StoreParameters.report(
        store.losses(migratingTo: model), isAllowed: arguments[StoreParameters.lossy], console)
      if isInPlace, let connection = try store.persistentStore?.newConnection() {
        try StoreParameters.refuseSynchronized(
          arguments[file], connection, "which would not be told of what the new model leaves out",
          advice:
            "open it with the version of the application that has the new model, or migrate a copy with --output"
        )
      }
      if let destination {
        try store.migrate(to: destination, model: model)
      } else {
        try store.migrate(inPlaceTo: model)
      }
    })
}
