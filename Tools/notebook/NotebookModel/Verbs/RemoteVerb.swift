import CommandLineTool
import RemoteAccess
import SyncProtocol

/// `remote`: says where the remote lies that has moved, or how it is reached.
enum RemoteVerb {
  static let remote = Parameter.optionalName(
    "remote", placeholder: "REMOTE", "Where the remote lies now. Without it: where it did.")

  static let command = Command(
    "remote", "Says where the remote has moved to, or with which credentials and certificates it is reached.",
    [StoreParameters.store, remote, StoreParameters.json] + RemoteConnection.parameters
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let place = try arguments[remote]
    if settings.isLocal == true { throw folder.hasNoRemote }
    // What is to be replaced need not be there.
    let former = place == nil ? try folder.remembered(settings) : try? folder.remembered(settings)
    guard let address = place ?? former?.remote else { throw ToolFailure.usage("--remote is missing") }
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    let given = try RemoteConnection(address, arguments)
    let connection = former.map { given.keeping($0) } ?? given
    try NotebookSync.requireOutside(folder, connection)
    // What cannot be reached is not remembered.
    do throws(ToolFailure) { _ = try connection.open() } catch { throw replaceable(error) }
    let tested = try await connection.tested()
    try await requireWhole(tested)
    try tested.write(to: folder.connection)
    if try arguments[StoreParameters.json] {
      console.print(JSONValue.object([.init("remote", .string(tested.remote))]).text)
      return
    }
    console.print(PrintableText.line("The remote is “\(tested.remote)”, and can be reached."))
  }

  /// Refuses a folder within a remote, where nothing of the notebook would be found.
  private static func requireWhole(_ connection: RemoteConnection) async throws {
    let backend = try connection.open()
    do throws(BackendError) {
      let names = try await backend.list(.root).entries.filter { $0.kind == .folder }.map(\.name.description)
      guard ApplicationHierarchy.isWithin(names) else { return }
    } catch {
      throw ToolFailure(error, remote: connection.remote)
    }
    throw ToolFailure.usage(
      "the folder “\(connection.remote)” lies within a remote; name the one that the devices share, above it")
  }

  /// A failure of files that say how the remote is reached, with what replaces them.
  static func replaceable(_ failure: ToolFailure) -> ToolFailure {
    let replacement =
      "“notebook remote” names other files with --credentials-file and --ca-file, or a key with --pin in place of the latter"
    return ToolFailure(
      failure.status, failure.message,
      advice: failure.advice.map { "\($0); \(replacement)" } ?? replacement)
  }
}
