import CommandLineTool
import Inspection
import RemoteAccess
import SyncProtocol

/// `password`: which passwords open the remote, for who knows one of them and has no device at hand.
enum PasswordCommand {
  private static let opening = PasswordSource(
    "password", "a password, or recovery code, that opens the remote.",
    question: "A password of the remote:")
  private static let former = PasswordSource(
    "old-password",
    "the password, or recovery code, that is changed or removed. Without it: the one that opens the remote.",
    question: "The password that is to go:")
  private static let new = PasswordSource(
    "new-password", "the new password; for change, add and rotate.", question: "The new password:",
    isNew: true)
  private static let application = Parameter.optionalName(
    "application", placeholder: "NAME", "Of which application, if the password opens several.")

  static let command = Command(
    "password", "Lists, changes, adds or removes the passwords that open the remote, or replaces its keys.",
    [RemoteParameters.remote, PasswordAction.parameter] + opening.parameters + former.parameters
      + new.parameters + [PasswordAction.slot, application, RemoteParameters.json]
      + RemoteConnection.parameters,
    exclusive: [opening.parameters, former.parameters + [PasswordAction.slot], new.parameters]
  ) { arguments, console in
    let action = try PasswordAction(arguments)
    try action.requireUseful(arguments, former: former, new: new)
    try PasswordSource.requireApart([opening, former, new], arguments)
    let name = try arguments[RemoteParameters.remote]
    let connection = try RemoteConnection(name, arguments)
    let password = try opening.read(arguments, console)
    do {
      let backend = try connection.open(toLook: action == .list)
      let inspector = RemoteInspector(backend: RetryingBackend(backend), password: password)
      let keys = try await PasswordChanges(
        try await opened(try await inspector.inspectedApplications(), try arguments[application], backend),
        program: "ticds-inspect"
      ).perform(
        action, slot: try arguments[PasswordAction.slot], isJSON: try arguments[RemoteParameters.json],
        console,
        former: { try former.given(arguments) ?? password }, new: { try new.read(arguments, console) })
      guard keys != nil else { return }
      console.print(
        "What devices write from now on is sealed with a new key, once they have it. Give each of them the new password; until then it says that a key is missing."
      )
    } catch let error as SyncError {
      throw ToolFailure(error, remote: name)
    } catch {
      throw ToolFailure(inspection: error, remote: name) ?? error
    }
  }

  /// The application that is meant, with its keys. It is not registered with: this is no device, and leaves no trace as one.
  private static func opened(
    _ all: [InspectedApplication], _ wanted: String?, _ backend: any SyncBackend
  ) async throws -> ApplicationSyncManager {
    let named = all.filter { wanted == nil || $0.name.description == wanted }
    let found = named.filter { if case .unlocked = $0.protection { true } else { false } }
    guard let only = found.first, case .unlocked(let keys) = only.protection else {
      if let obstacle = named.lazy.compactMap(\.obstacle).first { throw obstacle }
      guard named.isEmpty else {
        throw ToolFailure.usage("the remote is not encrypted, so there is no password")
      }
      throw ToolFailure(
        .notFound, "there is no application “\(PrintableText.line(wanted ?? ""))”",
        advice: "there are: \(list(all))")
    }
    guard found.count == 1 else {
      throw ToolFailure.usage(
        "the password opens several applications", advice: "name one with --application: \(list(found))")
    }
    let configuration = try ApplicationConfiguration(
      application: only.name.description, client: "ticds-inspect", clientDescription: "ticds-inspect")
    let manager = ApplicationSyncManager(backend: backend, configuration: configuration)
    await manager.resume(keys: keys)
    return manager
  }

  private static func list(_ applications: [InspectedApplication]) -> String {
    applications.prefix(20).map { "“\(PrintableText.line($0.name.description))”" }.joined(separator: ", ")
  }
}
