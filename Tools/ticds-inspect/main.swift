import CommandLineTool

await Tool(
  "ticds-inspect", "Shows, checks and repairs what lies on a remote; changes nothing unless told to.",
  version: "0.1",
  commands: [
    OverviewCommands.info, OverviewCommands.documents, OverviewCommands.devices, TreeCommand.command,
    ChangesCommand.command, HistoryCommand.command, VerifyCommand.command, RepairCommand.command,
    ReportCommand.command, ProbeCommand.command,
  ]
).main()
