import CommandLineTool
import RemoteAccess
import SyncProtocol

/// `password`: which passwords open the remote.
enum PasswordVerb {
  static let former = PasswordSource(
    "password", "the password, or recovery code, that is changed or removed.",
    question: "The password that is to go:")
  static let new = PasswordSource(
    "new-password", "the new password; for change, add and rotate.", question: "The new password:",
    isNew: true)

  static let command = Command(
    "password", "Lists, changes, adds or removes the passwords that open the remote, or replaces its keys.",
    [StoreParameters.store, PasswordAction.parameter] + former.parameters + new.parameters
      + [PasswordAction.slot, StoreParameters.json],
    exclusive: [former.parameters + [PasswordAction.slot], new.parameters]
  ) { arguments, console in
    let action = try PasswordAction(arguments)
    try action.requireUseful(arguments, former: former, new: new)
    try PasswordSource.requireApart([former, new], arguments)
    let folder = try StoreParameters.folder(arguments)
    try await NotebookSync.withDocument(of: folder) { document in
      // Storage may have gone back to other passwords. What stands in the way of telling, the action tells.
      try? await document.keepPasswordFiles()
      let keys = try await PasswordChanges(document.application, program: "notebook").perform(
        action, slot: try arguments[PasswordAction.slot], isJSON: try arguments[StoreParameters.json],
        console,
        former: { try former.read(arguments, console) }, new: { try new.read(arguments, console) })
      if let keys { try folder.keys.save(keys) }
      try await document.keepPasswordFiles()
      guard keys != nil else { return }
      guard try !arguments[StoreParameters.json] else { return }
      console.print(
        "What is written from now on is sealed with a new key. On each other device, run “notebook sync --password-file” with the new password; until then it says that a key is missing. Passwords and recovery codes of before open the remote no longer; make new ones by “notebook password add”."
      )
    }
  }
}
