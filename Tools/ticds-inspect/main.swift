import CommandLineTool

await Tool(
  "ticds-inspect", "Shows, checks and repairs what lies on a remote; changes nothing unless told to.",
  version: "0.1",
  commands: [
    TreeCommand.command, ChangesCommand.command, VerifyCommand.command, RepairCommand.command, ProbeCommand.command,
  ]
).main()
