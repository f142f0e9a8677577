import CommandLineTool
import StoreAccess

await Tool(
  "ticds-inspect", "Shows, checks and repairs what lies on a remote; changes nothing unless told to.",
  version: "0.1",
  commands: [
    OverviewCommands.info, OverviewCommands.documents, OverviewCommands.devices, TreeCommand.command,
    ShowCommand.command, AtCommand.command, DiffCommand.command, ExportCommand.command,
    DecryptCommand.command, StatsCommand.command, WatchCommand.command,
    ChangesCommand.command, HistoryCommand.command, VerifyCommand.command,
    RepairCommand.command, ReportCommand.command, ProbeCommand.command,
  ],
  translatingErrors: { ToolFailure(storeError: $0) }
).main()
