import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// `documents` and `delete-document`: what lies on the remote, apart from the notes of this device.
enum RemoteVerbs {
  static let commands = [documents, deleteDocument]

  private static let documents = command("documents", "Lists the documents on the remote.") {
    notebook, settings, arguments, console in
    var lines: [JSONValue] = []
    for document in try await notebook.application.documents() {
      let isNamed = document.identifier == settings.document
      let own = isNamed ? await description(of: try await notebook.remoteDocument()) : nil
      let isOwn = own != nil
      // One that cannot be read is listed all the same.
      let information = if let own { try? own.get() } else { try? await document.information() }
      lines.append([
        "document": .string(document.identifier),
        "description": information.map { .string($0.description) } ?? .null,
        "createdBy": information.map { .string($0.originalClientDescription) } ?? .null,
        "isThisNotebook": .boolean(isOwn),
      ])
      guard try !arguments[StoreParameters.json] else { continue }
      let creator =
        information.map { "created by \(DeviceName.shown($0.originalClientDescription))" }
        ?? "cannot be read here"
      let mark = isOwn ? " (this notebook)" : isNamed ? " (this notebook's own is gone)" : ""
      // The tab between the columns is this program's own.
      console.print(
        PrintableText.line(document.identifier) + "\t" + PrintableText.line("\(creator)\(mark)"))
    }
    if try arguments[StoreParameters.json] { console.print(JSONValue.array(lines).text) }
  }

  /// What describes a notebook's document; `nil` if it is not on the remote, but deleted, or another in its place.
  private static func description(
    of document: RemoteDocument
  ) async -> Result<DocumentInformation, SyncError>? {
    do {
      return .success(try await document.information())
    } catch {
      let isGone = [.documentDeleted, .documentReplaced, .documentNotFound].contains(error.code)
      return isGone ? nil : .failure(error)
    }
  }

  private static let confirmed = Parameter.flag(
    "yes", "Says that the notes on the remote are to be deleted for everybody; asked for without it.")

  private static let deleteDocument = command(
    "delete-document",
    "Deletes the notebook's document from the remote, for everybody; devices keep their notes.",
    [confirmed, StoreParameters.json]
  ) { notebook, settings, arguments, console in
    if try !arguments[confirmed] {
      let remote = try StoreParameters.folder(arguments).remembered(settings).remote
      try confirm(settings, remote, console)
    }
    let remainder = try await notebook.delete()
    if try arguments[StoreParameters.json] {
      console.print(
        JSONValue.object([
          .init("document", .string(settings.document)), .init("deleted", true),
          .init("othersOfTheName", .boolean(!remainder.isEmpty)),
          .init("unknownKeys", .array(remainder.unknownKeys.map { .string($0.description) })),
        ]).text)
      return
    }
    guard !remainder.isEmpty else {
      return console.print(
        "The document “\(settings.document)” is deleted from the remote. Each device keeps the notes that it has."
      )
    }
    let keys = remainder.unknownKeys.map(\.description).joined(separator: ", ")
    let unknown = keys.isEmpty ? "" : ", some of them with keys that are not at hand here (\(keys))"
    console.print(
      "This notebook's document is deleted. Other devices have created documents that bear the same name “\(settings.document)”\(unknown); these are left alone."
    )
  }

  private static func confirm(_ settings: NotebookSettings, _ remote: String, _ console: Console)
    throws(ToolFailure)
  {
    guard console.isInteractive else {
      throw ToolFailure(
        .undecided, "nobody can be asked without a terminal whether the document is to be deleted",
        advice: "--yes says so")
    }
    let answer = console.ask(
      """
      The document “\(settings.document)” is deleted from “\(remote)” for all devices. Each keeps the notes that it has, and \
      they are kept in step no more. Go on? (yes/no)\u{20}
      """)
    guard answer?.lowercased() == "yes" else {
      throw ToolFailure(.undecided, "nothing was deleted", advice: "answer yes to go on")
    }
  }

  /// A verb that works on the remote of an existing notebook.
  static func command(
    _ name: String, _ summary: String, _ parameters: [any AnyParameter] = [StoreParameters.json],
    perform:
      @escaping @Sendable (DocumentSyncManager, NotebookSettings, Arguments, Console) async throws
      -> Void
  ) -> Command {
    Command(name, summary, [StoreParameters.store] + parameters) { arguments, console in
      let folder = try StoreParameters.folder(arguments)
      let settings = try NotebookSettings(contentsOf: folder.settings)
      let remote = try folder.remembered(settings).remote
      do {
        try await perform(
          try await NotebookSync.document(of: folder, settings), settings, arguments, console)
      } catch let error as SyncError {
        throw NotebookFailures.failure(error, remote: remote)
      }
    }
  }
}
