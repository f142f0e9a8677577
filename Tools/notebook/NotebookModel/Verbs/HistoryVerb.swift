import ChangeTracking
import CommandLineTool
import Foundation
import Inspection
import ObjectStore
import RemoteAccess
import SyncProtocol

/// `history`: every value that a note ever had, when and from which device, and which one remains.
enum HistoryVerb {
  private static let note = Parameter.positional(
    "NOTE", "The note's sync ID, or an unambiguous beginning of it; in full if the note is deleted.")

  static let command = Command.withStatus(
    "history", "Shows every value that a note ever had: when, from which device, and which one remains.",
    [StoreParameters.store, note, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let connection = try folder.remembered(settings)
    let notebook = try Notebook(folder, for: .reading)
    let syncID = try identifier(try arguments[note], notebook)
    let inspector = RemoteInspector(
      backend: RetryingBackend(try connection.open(toLook: true)),
      keys: settings.isEncrypted ? try folder.keptKeys() : nil)
    let history: ObjectHistory
    do {
      history = try await inspector.history(
        of: syncID, in: settings.document, application: NotebookSync.application,
        hasMemberships: true)
    } catch {
      throw ToolFailure(inspection: error, remote: connection.remote) ?? error
    }
    try warn(history, pending: try await pending(folder, settings), console)
    guard !history.entries.isEmpty else {
      if !history.omissions.isEmpty {
        throw ToolFailure(
          .incomplete, "nothing on the remote that could be looked at tells of a note “\(syncID)”",
          advice: "look again when everything is there")
      }
      throw ToolFailure(
        .notFound, "nothing on the remote tells of a note “\(syncID)”",
        advice: "“notebook sync” sends what was changed here")
    }
    let tags = try notebook.tagNames()
    if try arguments[StoreParameters.json] {
      var changes: [JSONValue] = []
      for entry in history.entries {
        changes.append(json(entry, await entry.value(), history.verdict(on: entry), tags))
      }
      console.print(
        JSONValue.object([
          .init("syncID", .string(syncID)), .init("lacksBeginning", .boolean(history.lacksBeginning)),
          .init("unread", .integer(Int64(history.unread.count))), .init("changes", .array(changes)),
          .init("unlisted", history.omissions.unlisted.json),
          .init("missing", history.omissions.json),
        ]).text)
    } else {
      for entry in history.entries where isTold(entry.change) {
        console.print(
          PrintableText.line(line(entry, await entry.value(), of: history, tags)))
      }
    }
    if !history.omissions.isEmpty { return .incomplete }
    return history.unread.isEmpty ? .success : .findings
  }.paged()

  /// A note that is deleted everywhere has a history all the same.
  private static func identifier(_ word: String, _ notebook: Notebook) throws -> String {
    do {
      return try notebook.note(word).syncID
    } catch let failure as ToolFailure where failure.status == .notFound {
      return word
    }
  }

  private static func pending(_ folder: NotebookFolder, _ settings: NotebookSettings) async throws -> Int {
    let status = try await NotebookSync.localDocument(of: folder, settings).status().replica
    return status.pendingObjects + status.frozenChanges
  }

  private static func warn(_ history: ObjectHistory, pending: Int, _ console: Console) throws {
    for set in history.unread {
      console.complain(
        PrintableText.line("notebook: “\(set.path)” cannot be read: \(set.failure.description)."))
    }
    for sentence in history.omissions.sentences { console.complain("notebook: \(sentence)") }
    if history.lacksBeginning {
      console.complain(
        "notebook: what was changed long ago is in whole stores alone, since a vacuum, and is not shown.")
    }
    if pending > 0 {
      console.complain(
        "notebook: what this device has not sent yet is not shown; “notebook sync” sends it.")
    }
  }

  /// When a note was made and changed, the times of all lines tell.
  private static func isTold(_ change: SyncChange) -> Bool {
    change.key != "created" && change.key != "modified"
  }

  /// The tag that a change puts on the note or takes off it.
  private static func tag(_ change: SyncChange, _ tags: [String: String]) -> String? {
    tagID(change).map { tags[$0] ?? $0 }
  }

  private static func tagID(_ change: SyncChange) -> String? {
    guard change.kind == .toManyAdded || change.kind == .toManyRemoved else { return nil }
    return (change.entity == "Tag" ? change.object : change.target)?.string
  }

  // MARK: For a person

  private static func line(
    _ entry: ObjectHistory.Entry, _ value: AttributeValue?, of history: ObjectHistory,
    _ tags: [String: String]
  ) -> String {
    let time = SyncOutput.time(entry.change.stamp.time.milliseconds)
    let isOfDeletedTag = tagID(entry.change).map { tags[$0] == nil } ?? false
    let verdict =
      isOfDeletedTag ? "the tag is not there any more" : words(history.verdict(on: entry), of: history)
    return "\(time)  \(history.deviceName(of: entry))  \(text(entry.change, value, tags))  (\(verdict))"
  }

  private static func text(_ change: SyncChange, _ value: AttributeValue?, _ tags: [String: String])
    -> String
  {
    let member = tag(change, tags).map { "“\($0)”" } ?? "nothing"
    switch change.kind {
    case .objectInserted: return "the note was made"
    case .objectDeleted: return "the note was deleted"
    case .toManyAdded: return "tagged \(member)"
    case .toManyRemoved: return "tag \(member) taken off"
    default: return "\(change.key ?? "") = \(text(value, change.longValue))"
    }
  }

  private static func text(_ value: AttributeValue?, _ long: LongValue?) -> String {
    switch value {
    case .string(let text): "“\(text.prefix(limit))\(text.count > limit ? "…" : "")”"
    case .null: "nothing"
    case .some(let value): "\(value)"
    case nil:
      long.map { "a text of \(SyncOutput.count($0.length, "byte")) that is not there any more" } ?? "?"
    }
  }

  private static let limit = 200

  private static func words(_ verdict: ObjectHistory.Verdict, of history: ObjectHistory) -> String {
    switch verdict {
    case .counts: "counts"
    case .prevails: "remains"
    case .latestKnown: "the latest of those that are there"
    case .deleted(let time): "the latest, but the note was deleted at \(SyncOutput.time(time.milliseconds))"
    case .overruled(let winner, let isTie):
      "overruled by \(history.deviceName(of: winner)) at \(SyncOutput.time(winner.change.stamp.time.milliseconds))"
        + (isTie ? ", by chance, for both are as late" : "")
    }
  }

  // MARK: For a program

  private static func json(
    _ entry: ObjectHistory.Entry, _ value: AttributeValue?, _ verdict: ObjectHistory.Verdict,
    _ tags: [String: String]
  ) -> JSONValue {
    let change = entry.change
    var winner = JSONValue.null
    if case .overruled(let by, _) = verdict {
      winner = [
        "device": .string(by.clientDescription),
        "time": .string(SyncOutput.time(by.change.stamp.time.milliseconds)),
      ]
    }
    let remains: JSONValue =
      switch verdict {
      case .prevails, .counts: true
      case .deleted, .overruled: false
      case .latestKnown: .null
      }
    return [
      "time": .string(SyncOutput.time(change.stamp.time.milliseconds)),
      "device": .string(entry.clientDescription), "client": .string(entry.client),
      "kind": .string("\(change.kind)"), "key": change.key.map { .string($0) } ?? .null,
      "value": json(value), "tag": tag(change, tags).map { .string($0) } ?? .null,
      "remains": remains, "overruledBy": winner,
    ]
  }

  private static func json(_ value: AttributeValue?) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .date(let seconds): .string(DateText.wholeSecond(seconds))
    default: .null
    }
  }
}
