import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// `init`: makes a notebook that is kept in step with a remote; joins the document if the remote holds it.
enum InitVerb {
  static let remote = Parameter.optional(
    "remote", placeholder: "REMOTE",
    "What the devices share: a folder, a file:// URL, webdavs://host/path, or ubiquity:PATH. Without it: nothing yet; a later init joins the notebook to a remote."
  )
  static let client = Parameter.optionalName(
    "client", placeholder: "NAME", "What you call this device. Without it: the computer's name.")
  static let document = Parameter.optionalName(
    "document", placeholder: "ID", "The document on the remote. Without it: notes.")
  static let passwordFile = Parameter.optional(
    "password-file", placeholder: "F", "A file whose first line is the password that encrypts the remote.")
  static let noEncryption = Parameter.flag(
    "no-encryption", "Leaves the remote readable for whoever can read the folder.")

  static let joining = Parameter.choice(
    "join", default: JoiningChoice.merge,
    "What becomes of the notes of a notebook that had no remote: merged with what the remote holds, or one of the two wins."
  )

  static let command = Command(
    "init", "Makes a notebook, and creates or joins its document on the remote.",
    [
      StoreParameters.store, remote, client, document, passwordFile, noEncryption, joining,
      StoreParameters.json,
    ]
      + RemoteConnection.parameters,
    exclusive: [[passwordFile, noEncryption]]
  ) { arguments, console in
    let password = try arguments[passwordFile].map { file throws(ToolFailure) in try PasswordFile.read(file) }
    let folder = try StoreParameters.folder(arguments)
    guard let place = try arguments[remote] else {
      guard try arguments[joining] == .merge else {
        throw ToolFailure.usage("--join needs --remote: there is nothing to join yet")
      }
      try NotebookJoining(folder: folder).create(
        document: try documentName(arguments) ?? "notes",
        clientDescription: try deviceName(arguments[client]) ?? ProcessInfo.processInfo.hostName)
      return try showLocal(arguments, console)
    }
    let connection = try RemoteConnection(place, arguments)
    if let file = try arguments[passwordFile] { try requireApart(file, from: connection) }
    let outcome = try await outcome(folder, connection, password: password, arguments)
    let sameName = outcome.name.flatMap { DeviceNaming.notice($0, others: outcome.others ?? []) }
    let notices =
      notices(outcome) + [sameName].compactMap { $0 } + (try notice(password == nil, arguments))
    if try arguments[StoreParameters.json] {
      console.print(json(outcome, notices).text)
      return
    }
    if let isNew = outcome.isNew { console.print(PrintableText.line(sentence(isNew, outcome.others))) }
    if let store = outcome.begun?.store {
      console.print(
        "The notebook begins with a whole store of \(SyncOutput.count(store.total, "set")); “notebook sync” gets what came after."
      )
    }
    for notice in notices { console.complain("notebook: \(notice)") }
  }

  private static func requireApart(
    _ passwordFile: String, from connection: RemoteConnection
  ) throws(ToolFailure) {
    do {
      try connection.requireOutside(passwordFile)
    } catch {
      throw ToolFailure.usage(
        "the password file “\(passwordFile)” lies in the remote, where whoever can read the notes finds the password beside them",
        advice: "move it out of there, and choose another password if others could read it")
    }
  }

  private static func outcome(
    _ folder: NotebookFolder, _ connection: RemoteConnection, password: String?, _ arguments: Arguments
  ) async throws -> NotebookCreation.Outcome {
    let joining = NotebookJoining(folder: folder)
    if joining.isLocal {
      return try await joining.join(
        connection, document: try documentName(arguments),
        clientDescription: try deviceName(arguments[client]), password: password, try arguments[Self.joining])
    }
    return try await NotebookCreation(
      folder: folder, connection: connection, document: try documentName(arguments) ?? "notes",
      clientDescription: try deviceName(arguments[client]) ?? ProcessInfo.processInfo.hostName,
      password: password
    ).run()
  }

  private static func showLocal(_ arguments: Arguments, _ console: Console) throws {
    if try arguments[StoreParameters.json] {
      console.print(json(NotebookCreation.Outcome(), []).text)
    } else {
      console.print("made; “notebook init --remote” joins it to a remote")
    }
  }

  /// What a person should know, in a sentence each.
  private static func notices(_ outcome: NotebookCreation.Outcome) -> [String] {
    var notices = (outcome.begun?.findings ?? []).map { "\($0)" }
    if outcome.lacksHistory {
      notices.append(
        "older notes are in whole stores alone, and none that can be used has arrived; “notebook sync” shows a part, and says so, until there is one"
      )
    }
    if outcome.isKeyMissing {
      notices.append(
        "devices with a key of their own use the remote as well, and what they write cannot be read here; "
          + "“notebook sync --password-file” with their password, even if it is the same, makes the notes of all everybody's."
      )
    }
    return notices
  }

  private static func notice(_ isReadable: Bool, _ arguments: Arguments) throws -> [String] {
    guard isReadable, try !arguments[noEncryption] else { return [] }
    return [
      "the remote is not encrypted, so whoever can read its folder can read the notes; "
        + "--no-encryption says that this is meant."
    ]
  }

  private static func json(_ outcome: NotebookCreation.Outcome, _ notices: [String]) -> JSONValue {
    [
      "created": outcome.isNew.map { .boolean($0) } ?? .null,
      "others": outcome.others.map { .array($0.map { .string($0) }) } ?? .null,
      "wholeStoreSets": outcome.begun?.store.map { .integer(Int64(clamping: $0.total)) } ?? .null,
      "isKeyMissing": .boolean(outcome.isKeyMissing), "notices": .array(notices.map { .string($0) }),
    ]
  }

  /// Refuses what cannot be the name of a folder before anything is made, here or on the remote.
  private static func documentName(_ arguments: Arguments) throws(ToolFailure) -> String? {
    guard let name = try arguments[document], RemoteName(name) == nil else { return try arguments[document] }
    throw ToolFailure.usage(
      "“\(name)” cannot be the identifier of a document",
      advice: "use 1 to 100 ASCII letters, digits, dots, underscores and hyphens, with no dot at either end")
  }

  private static func deviceName(_ name: String?) throws(ToolFailure) -> String? {
    guard let name else { return nil }
    return try DeviceNaming.checked(name, "--client")
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
