import CommandLineTool
import Crypto
import RemoteAccess
import SyncProtocol

/// `password`: which passwords open the remote.
enum PasswordVerb {
  /// What is done about passwords.
  enum Action: String, CaseIterable {
    case list, change, add, remove, recovery, rotate
  }

  static let action = Parameter.positional(
    "ACTION", "One of \(Action.allCases.map(\.rawValue).joined(separator: ", ")).")
  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F",
    "A file whose first line is the password, or recovery code, that is changed or removed.")
  static let newPasswordFile = Parameter.optional(
    "new-password-file", placeholder: "F",
    "A file whose first line is the new password; for change, add and rotate.")
  static let slot = Parameter.optional(
    "slot", placeholder: "ID",
    "The beginning of what “list” shows, to remove a password that nobody remembers.")

  static let command = Command(
    "password", "Lists, changes, adds or removes the passwords that open the remote, or replaces its keys.",
    [StoreParameters.store, action, passwordFile, newPasswordFile, slot, StoreParameters.json],
    exclusive: [[passwordFile, slot]]
  ) { arguments, console in
    let word = try arguments[action]
    guard let chosen = Action(rawValue: word) else {
      throw ToolFailure.usage(
        "password does not do “\(word)”",
        advice: "it does one of \(Action.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let folder = try StoreParameters.folder(arguments)
    try await NotebookSync.withDocument(of: folder) { document in
      try await perform(chosen, document.application, folder, arguments, console)
    }
  }

  private static func perform(
    _ action: Action, _ application: ApplicationSyncManager, _ folder: NotebookFolder, _ arguments: Arguments,
    _ console: Console
  ) async throws {
    switch action {
    case .list:
      let slots = try await application.passwords()
      if try arguments[StoreParameters.json] {
        console.print(JSONValue.array(slots.map(json)).text)
      } else {
        for slot in slots {
          console.print("\(slot.identifier.prefix(8))\t\(slot.isRecoveryCode ? "recovery code" : "password")")
        }
      }
    case .change:
      try await application.changePassword(
        from: try read(passwordFile, arguments), to: try read(newPasswordFile, arguments))
    case .add:
      try await application.addPassword(try read(newPasswordFile, arguments))
    case .remove:
      if let beginning = try arguments[slot] {
        try await application.removePassword(try find(beginning, try await application.passwords()))
      } else {
        try await application.removePassword(try read(passwordFile, arguments))
      }
      console.complain(
        "notebook: who knows the password and has kept a copy of the key file can still open the keys of today; “notebook password rotate” seals what comes with others."
      )
    case .recovery:
      console.print(try await application.addRecoveryCode().text)
      console.complain(
        "notebook: write the code down; it opens the remote as a password does, and is kept nowhere.")
    case .rotate:
      try folder.keys.save(try await application.replaceKeys(password: try read(newPasswordFile, arguments)))
      console.print(
        "What is written from now on is sealed with a new key. On each other device, run “notebook sync --password-file” with the new password; until then it says that a key is missing."
      )
    }
  }

  private static func read(_ parameter: Parameter<String?>, _ arguments: Arguments) throws(ToolFailure)
    -> String
  {
    guard let file = try arguments[parameter] else {
      throw .usage("--\(parameter.specification.name) is missing")
    }
    return try PasswordFile.read(file)
  }

  private static func find(_ beginning: String, _ slots: [PasswordSlot]) throws(ToolFailure) -> PasswordSlot {
    let found = slots.filter { !beginning.isEmpty && $0.identifier.hasPrefix(beginning) }
    guard let first = found.first, found.count == 1 else {
      throw ToolFailure(
        .notFound,
        found.isEmpty ? "no password has the slot “\(beginning)”" : "several slots begin with “\(beginning)”",
        advice: "“notebook password list” shows them")
    }
    return first
  }

  private static func json(_ slot: PasswordSlot) -> JSONValue {
    ["slot": .string(slot.identifier), "kind": .string(slot.isRecoveryCode ? "recoveryCode" : "password")]
  }
}
