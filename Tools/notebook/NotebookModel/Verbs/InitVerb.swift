import CommandLineTool
import Foundation
import RemoteAccess

/// `init`: makes a notebook that is kept in step with a remote; joins the document if the remote holds it.
enum InitVerb {
  static let remote = Parameter.required(
    "remote", placeholder: "REMOTE",
    "What the devices share: a folder, a file:// URL, webdavs://host/path, or ubiquity:PATH.")
  static let client = Parameter.optionalName(
    "client", placeholder: "NAME", "What you call this device. Without it: the computer's name.")
  static let document = Parameter.optionalName(
    "document", placeholder: "ID", "The document on the remote. Without it: notes.")
  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F", "A file whose first line is the password that encrypts the remote.")
  static let noEncryption = Parameter.flag(
    "no-encryption", "Leaves the remote readable for whoever can read the folder.")

  static let command = Command(
    "init", "Makes a notebook, and creates or joins its document on the remote.",
    [StoreParameters.store, remote, client, document, passwordFile, noEncryption]
      + RemoteConnection.parameters,
    exclusive: [[passwordFile, noEncryption]]
  ) { arguments, console in
    let password = try arguments[passwordFile].map { file throws(ToolFailure) in try PasswordFile.read(file) }
    let outcome = try await NotebookCreation(
      folder: try StoreParameters.folder(arguments),
      connection: try RemoteConnection(try arguments[remote], arguments),
      document: try arguments[document] ?? "notes",
      clientDescription: try arguments[client] ?? ProcessInfo.processInfo.hostName, password: password
    ).run()
    if let isNew = outcome.isNew { console.print(PrintableText.line(sentence(isNew, outcome.others))) }
    for finding in outcome.begun?.findings ?? [] { console.complain("notebook: \(finding)") }
    if let store = outcome.begun?.store {
      console.print(
        "The notebook begins with a whole store of \(SyncOutput.count(store.total, "set")); “notebook sync” gets what came after."
      )
    }
    if outcome.lacksHistory {
      console.complain(
        "notebook: older notes are in whole stores alone, and none that can be used has arrived; “notebook sync” shows a part, and says so, until there is one"
      )
    }
    if outcome.isKeyMissing {
      console.complain(
        "notebook: devices with a key of their own use the remote as well, and what they write cannot be read here; "
          + "“notebook sync --password-file” with their password, even if it is the same, makes the notes of all everybody's."
      )
    }
    if password == nil, try !arguments[noEncryption] {
      console.complain(
        "notebook: the remote is not encrypted, so whoever can read its folder can read the notes; "
          + "--no-encryption says that this is meant.")
    }
  }

  /// Whoever names a wrong folder sees that nobody is there.
  private static func sentence(_ isNew: Bool, _ others: [String]?) -> String {
    if isNew { return "created: nobody else takes part yet" }
    guard let others else { return "joined" }
    let names = others.prefix(5).map { "“\($0)”" } + (others.count > 5 ? ["others"] : [])
    // Foundation's lists hold characters of their own beside names that are written from right to left.
    let list = names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
    return
      "joined: \(SyncOutput.count(others.count, "other device")) take\(others.count == 1 ? "s" : "") part\(list)"
  }
}
