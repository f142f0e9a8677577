import CommandLineTool
import StoreAccess

await Tool(
  "ticds-store",
  "Shows, checks, compares, copies, fills, makes and migrates Core Data stores, and makes Swift classes of their models, without a Mac.",
  version: "0.1",
  commands: [
    InfoCommand.command, ModelCommand.command, HashCommand.command, CountCommand.command, DumpCommand.command,
    QueryCommand.command, SQLCommand.command, ExportCommand.command, ImportCommand.command,
    HistoryCommand.command,
    DiffCommand.command, VerifyCommand.command, CopyCommand.command, CreateCommand.command,
    MigrateCommand.command, CompileCommand.command, GenerateCommand.command,
  ],
  translatingErrors: { ToolFailure(storeError: $0) }
).main()
