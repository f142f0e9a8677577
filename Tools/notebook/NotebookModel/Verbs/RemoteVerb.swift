import CommandLineTool
import RemoteAccess

/// `remote`: says where the remote lies that has moved, or how it is reached.
enum RemoteVerb {
  static let remote = Parameter.optionalName(
    "remote", placeholder: "REMOTE", "Where the remote lies now. Without it: where it did.")

  static let command = Command(
    "remote", "Says where the remote has moved to, or with which credentials and certificates it is reached.",
    [StoreParameters.store, remote] + RemoteConnection.parameters
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let former = try folder.remembered(try NotebookSettings(contentsOf: folder.settings))
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    let connection = try RemoteConnection(try arguments[remote] ?? former.remote, arguments)
      .keeping(former)
    try NotebookSync.requireOutside(folder, connection)
    // What cannot be reached is not remembered.
    let tested = try await connection.tested()
    try tested.write(to: folder.connection)
    console.print(PrintableText.line("The remote is “\(tested.remote)”, and can be reached."))
  }
}
