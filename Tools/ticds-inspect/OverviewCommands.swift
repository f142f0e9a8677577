import ChangeTracking
import CommandLineTool
import Inspection
import RemoteAccess

/// `info`, `documents` and `devices`: what lies there in total, by documents, and by who writes them.
enum OverviewCommands {
  /// The version of what `--json` prints of these commands.
  private static let version: JSONValue = 1

  static let info = RemoteParameters.command(
    "info", "Sums up what lies on the remote: applications, encryption, documents, devices, sizes."
  ) { inspector, arguments, console in
    let overview = try await inspector.overview()
    if try arguments[RemoteParameters.json] {
      console.print(
        JSONValue.object([
          .init("version", version), .init("foreign", .integer(Int64(overview.foreign))),
          .init("applications", .array(overview.applications.map(json))),
          .init("unlisted", overview.unlisted.json),
        ]).text)
      return overview.unlisted.report(console)
    }
    for application in overview.applications {
      console.print(
        "application \(DisplayText.printable(application.name)): \(words(application.protection))")
      console.print("  \(words(application.files, "file", "files"))")
      let names = RepeatedNames(application.clients.compactMap(\.description))
      let clients = application.clients.map { client in
        client.description.map { names.text($0, client.identifier) }
          ?? DisplayText.printable(client.identifier)
      }
      console.print("  devices: \(clients.isEmpty ? "none" : clients.joined(separator: ", "))")
      for document in application.documents { show(document, console) }
    }
    if overview.foreign > 0 { console.print("entries that are not ours: \(overview.foreign)") }
    return overview.unlisted.report(console)
  }

  static let documents = RemoteParameters.command(
    "documents", "Lists the documents: sets, long values, whole stores, authors."
  ) { inspector, arguments, console in
    let overview = try await inspector.overview()
    let unlisted = overview.unlisted.filter(\.mayHoldDocuments)
    if try arguments[RemoteParameters.json] {
      let documents = overview.applications.flatMap { application in
        application.documents.map { json($0, of: application) }
      }
      console.print(
        JSONValue.object([
          .init("version", version), .init("documents", .array(documents)),
          .init("unlisted", unlisted.json),
        ]).text)
    } else {
      for document in overview.applications.flatMap(\.documents) { show(document, console) }
    }
    return unlisted.report(console)
  }

  static let devices = RemoteParameters.command(
    "devices", "Lists who writes each document: what they have pushed, and what they have not seen of others."
  ) { inspector, arguments, console in
    let overview = try await inspector.overview()
    let unlisted = overview.unlisted.filter(\.holdsHistory)
    if try arguments[RemoteParameters.json] {
      let devices = overview.applications.flatMap { application in
        application.documents.flatMap { document in document.authors.map { json($0, document, application) } }
      }
      console.print(
        JSONValue.object([
          .init("version", version), .init("devices", .array(devices)), .init("unlisted", unlisted.json),
        ]).text)
    } else {
      for document in overview.applications.flatMap(\.documents) {
        console.print("document \(DisplayText.printable(document.identifier))")
        var table = TextTable(
          [("DEVICE", .name), ("PUSHED", .number), ("NOT SEEN", .number), ("LAST HEAD", .text), ("", .text)])
        let names = RepeatedNames(document.authors.compactMap { $0.content?.clientDescription })
        for author in document.authors { table.add(cells(author, names)) }
        console.print(table, indent: 2)
      }
    }
    return unlisted.report(console)
  }

  // MARK: For people

  private static func show(_ document: RemoteOverview.Document, _ console: Console) {
    let description = document.description.map { " “\(DisplayText.shortened($0))”" } ?? ""
    console.print("  document \(DisplayText.printable(document.identifier))\(description)")
    var parts = [words(document.sets, "set", "sets")]
    if document.longValues.files > 0 {
      parts.append(words(document.longValues, "long value", "long values"))
    }
    if document.wholeStores.files > 0 {
      parts.append(words(document.wholeStores, "whole store", "whole stores"))
    }
    parts.append("\(document.authors.count) author\(document.authors.count == 1 ? "" : "s")")
    if document.foundings > 1 { parts.append("founded \(document.foundings) times while apart") }
    console.print("    \(parts.joined(separator: "; "))")
  }

  /// Who; sets that its newest head names; sets of others that it had not seen then; when that was.
  private static func cells(_ author: RemoteOverview.Author, _ names: RepeatedNames) -> [String] {
    [
      author.content.map { names.text($0.clientDescription, author.author.description) }
        ?? author.author.description,
      author.head.map { "\($0.sequence)" } ?? "no head", author.unseen.map { "\($0)" } ?? "?",
      author.content.map { DisplayText.time(LogicalTime(milliseconds: $0.time)) } ?? "",
      [
        author.isRemoved ? "was removed from the document" : nil,
        author.isSuperseded ? "others have said again what it wrote" : nil,
      ].compactMap { $0 }.joined(separator: ", "),
    ]
  }

  private static func words(_ amount: RemoteOverview.Amount, _ one: String, _ many: String) -> String {
    "\(amount.files) \(amount.files == 1 ? one : many), \(ByteSize.text(amount.bytes))"
  }

  private static func words(_ protection: RemoteOverview.Application.Protection) -> String {
    switch protection {
    case .none: "not encrypted"
    case .unlocked: "encrypted, and the password opens it"
    case .locked: "encrypted; --password-file opens it"
    }
  }

  // MARK: For programs

  private static func json(_ amount: RemoteOverview.Amount) -> JSONValue {
    ["files": .integer(Int64(amount.files)), "bytes": .integer(amount.bytes)]
  }

  private static func json(_ application: RemoteOverview.Application) -> JSONValue {
    [
      "application": .string(application.name), "protection": .string(application.protection.rawValue),
      "files": json(application.files),
      "clients": .array(
        application.clients.map { client in
          [
            "client": .string(client.identifier),
            "description": client.description.map { .string($0) } ?? .null,
          ]
        }),
      "documents": .array(application.documents.map { json($0, of: application) }),
    ]
  }

  private static func json(
    _ document: RemoteOverview.Document, of application: RemoteOverview.Application
  ) -> JSONValue {
    [
      "application": .string(application.name), "document": .string(document.identifier),
      "description": document.description.map { .string($0) } ?? .null,
      "foundings": .integer(Int64(document.foundings)), "sets": json(document.sets),
      "longValues": json(document.longValues), "wholeStores": json(document.wholeStores),
      "authors": .array(document.authors.map { .string($0.author.description) }),
    ]
  }

  private static func json(
    _ author: RemoteOverview.Author, _ document: RemoteOverview.Document,
    _ application: RemoteOverview.Application
  ) -> JSONValue {
    [
      "application": .string(application.name), "document": .string(document.identifier),
      "author": .string(author.author.description),
      "client": author.content.map { .string($0.client) } ?? .null,
      "description": author.content.map { .string($0.clientDescription) } ?? .null,
      "sets": json(author.sets), "lastSet": .integer(Int64(clamping: author.lastSet)),
      "pushed": author.head.map { .integer(Int64(clamping: $0.sequence)) } ?? .null,
      "seen": author.head.map { .integer(Int64(clamping: $0.seen)) } ?? .null,
      "unseen": author.unseen.map { .integer(Int64(clamping: $0)) } ?? .null,
      "time": author.content.map {
        .string(DisplayText.time(LogicalTime(milliseconds: $0.time)))
      } ?? .null,
      "superseded": .boolean(author.isSuperseded), "removed": .boolean(author.isRemoved),
    ]
  }
}
