import CommandLineTool

await Tool(
  "ticds-inspect", "Shows and checks what lies on a remote; changes nothing.", version: "0.1",
  commands: [TreeCommand.command, ChangesCommand.command, VerifyCommand.command, ProbeCommand.command]
).main()
