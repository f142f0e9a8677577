import ChangeTracking
import CommandLineTool
import SyncProtocol

/// `undo`: takes back what the last synchronisation that changed notes has changed.
enum UndoVerb {
  static let command = Command(
    "undo", "Takes back what the last sync that changed notes has changed; the next sync tells the others.",
    [StoreParameters.store, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let remote = try folder.remembered(settings).remote
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    let before = try titles(folder)
    let report: UndoReport
    let changes: [MergeInverse.Change]
    do {
      // Nothing is sealed before the next sync, so the keys may be missing.
      let document = try NotebookSync.localDocument(of: folder, settings)
      let last = LastMerge(of: folder, console)
      guard let inverses = try last.inverses(try await document.status()) else {
        throw ToolFailure(
          .notFound, "there is no merge to take back",
          advice:
            "only the last sync that changed notes can be taken back, only once, not the first one of a notebook, and not after “upload-store” or “vacuum” has exchanged changes"
        )
      }
      report = try await document.undo(inverses, keeping: ["Tag"])
      // What others may refer to has come and stays.
      let remaining = Set(report.remaining.map(\.object))
      changes = inverses.flatMap(\.changes).filter { $0.kind != .came || !remaining.contains($0.object) }
      try last.remove()
    } catch let error as SyncError {
      throw NotebookFailures.failure(error, remote: remote)
    }
    let names = before.merging(try titles(folder)) { first, _ in first }
    if try arguments[StoreParameters.json] {
      console.print(json(report, changes).text)
    } else {
      show(report, changes, names, console)
    }
  }

  /// What notes and tags are called, by their sync IDs.
  private static func titles(_ folder: NotebookFolder) throws -> [String: String] {
    let notebook = try Notebook(folder, for: .reading)
    let notes = Dictionary(try notebook.notes().map { ($0.syncID, $0.title) }) { first, _ in first }
    return notes.merging(try notebook.tagNames()) { note, _ in note }
  }

  private static func show(
    _ report: UndoReport, _ changes: [MergeInverse.Change], _ names: [String: String], _ console: Console
  ) {
    let whole = Set(report.kept.filter { $0.key == nil }.map(\.object))
    for change in changes where !whole.contains(change.object) {
      let kept = Set(report.kept.filter { $0.object == change.object }.compactMap(\.key))
      let subject = subject(change.entity, change.object, names)
      let keys = change.keys.filter { !kept.contains($0) && $0 != "modified" }
      switch change.kind {
      case .came: console.print(PrintableText.line("\(subject) had come, and is gone again"))
      case .went: console.print(PrintableText.line("\(subject) had been deleted, and is back"))
      case .changed where keys.isEmpty: continue
      case .changed:
        console.print(
          PrintableText.line("\(subject) has its former \(keys.joined(separator: ", "))"))
      }
    }
    for kept in report.kept {
      let subject = subject(kept.entity, kept.object, names)
      console.print(
        PrintableText.line(
          kept.key.map {
            "kept: the \($0) of \(subject), which was changed since, or whose former value is not here"
          }
            ?? "kept: \(subject), which was changed since"))
    }
    for awaited in report.awaited {
      let subject = subject(awaited.entity, awaited.object, names)
      console.print(
        PrintableText.line(
          "waiting: the \(awaited.key ?? "value") of \(subject) had not arrived, and shows when it does"))
    }
    console.print(
      "took back \(SyncOutput.count(report.objects, "change")); “notebook sync” sends that to the other devices"
    )
  }

  private static func subject(_ entity: String, _ object: SyncID, _ names: [String: String]) -> String {
    let name = names[object.string].flatMap { $0.isEmpty ? nil : "“\($0)” (\(object))" } ?? object.string
    return "the \(entity.lowercased()) \(name)"
  }

  private static func json(_ report: UndoReport, _ changes: [MergeInverse.Change]) -> JSONValue {
    [
      "objects": .integer(Int64(report.objects)),
      "changes": .array(
        changes.map { change in
          [
            "entity": .string(change.entity), "syncID": .string(change.object.string),
            "kind": .string(change.kind.rawValue), "keys": .array(change.keys.map { .string($0) }),
          ]
        }),
      "kept": .array(report.kept.map(json)), "awaited": .array(report.awaited.map(json)),
    ]
  }

  private static func json(_ subject: UndoReport.Kept) -> JSONValue {
    [
      "entity": .string(subject.entity), "syncID": .string(subject.object.string),
      "key": subject.key.map { .string($0) } ?? .null,
    ]
  }
}
