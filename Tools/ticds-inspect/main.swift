import CommandLineTool
import StoreAccess
import SyncProtocol

ScratchFolder.sweep()

await Tool(
  "ticds-inspect", "Shows, checks and repairs what lies on a remote; changes nothing unless told to.",
  version: "0.1",
  commands: [
    OverviewCommands.info.paged(), OverviewCommands.documents.paged(), OverviewCommands.devices.paged(),
    TreeCommand.command.paged(), ShowCommand.command.paged(), AtCommand.command, DiffCommand.command.paged(),
    ExportCommand.command, DecryptCommand.command, StatsCommand.command.paged(), WatchCommand.command,
    ChangesCommand.command.paged(unless: ChangesCommand.follow), HistoryCommand.command.paged(),
    VerifyCommand.command.paged(),
    RepairCommand.command, PasswordCommand.command, VacuumCommand.command, ReportCommand.command,
    ProbeCommand.command,
  ],
  translatingErrors: { ToolFailure(storeError: $0) }
).main()
