import CommandLineTool

/// The note-keeper on the command line.
public enum NotebookTool {
  /// The program with all its verbs.
  public static let tool = Tool(
    "notebook", "Keeps notes in step on several devices through any shared folder.", version: "0.1",
    commands: [
      InitVerb.command, AddVerb.command, ImportVerb.command, ExportVerb.command, EditVerb.command,
      TagVerb.command,
      UntagVerb.command, DeleteVerb.command, ShowVerb.command, ListVerb.command, HistoryVerb.command,
      SyncVerb.command,
      UndoVerb.command, WatchVerb.command, StatusVerb.command, RefillVerb.command, RejoinVerb.command,
      UploadStoreVerb.command, VacuumVerb.command,
      RemoteVerb.command, PasswordVerb.command,
    ] + RemoteVerbs.commands + DeviceVerbs.commands, translatingErrors: NotebookFailures.translate)
}
