import ChangeTracking
import CommandLineTool
import Foundation
import SyncProtocol

/// Shows what a sync did.
enum SyncOutput {
  /// Shows a report, for a program or for a person.
  ///
  /// - Returns: how the verb ends.
  static func show(
    _ report: SyncReport, of folder: NotebookFolder, asJSON: Bool, _ console: Console
  ) throws -> ToolStatus {
    if asJSON {
      console.print(json(report).text)
    } else {
      let namesNotes =
        !report.awaited.isEmpty || !report.conflicts.isEmpty || report.warnings.contains { $0.object != nil }
      // What was done is told, too, where a full disk keeps the store from being opened once more.
      print(report, namesNotes ? titles(report, folder) : NoteTitles(), console)
    }
    return report.isBlocked ? .blocked : .success
  }

  private static func titles(_ report: SyncReport, _ folder: NotebookFolder) -> NoteTitles {
    (try? NoteTitles(folder, beside: report.inverses)) ?? NoteTitles()
  }

  /// Counts first; `details` has what a person may want to look at.
  static func json(_ report: SyncReport) -> JSONValue {
    [
      "pushed": .integer(Int64(report.pushed)), "pulled": .integer(Int64(report.pulled)),
      "applied": .integer(Int64(report.applied)), "conflicts": .integer(Int64(report.conflicts.count)),
      "warnings": .integer(Int64(report.warnings.count + report.findings.count)),
      "requests": .integer(Int64(report.requests)), "bytes": .integer(report.bytes),
      "seconds": .number(report.seconds),
      "details": [
        "pushedSets": .integer(Int64(report.pushedSets)), "pulledSets": .integer(Int64(report.pulledSets)),
        "conflicts": .array(report.conflicts.map(json)), "warnings": .array(report.warnings.map(json)),
        "findings": .array(report.findings.map { .string(report.sentence($0)) }),
        "blocked": .array(report.blocked.map(json)), "awaited": .array(report.awaited.map(json)),
      ],
    ]
  }

  private static func json(_ conflict: Conflict) -> JSONValue {
    [
      "entity": .string(conflict.id.entity), "syncID": .string(conflict.id.object.string),
      "key": .string(conflict.id.key), "client": .string(conflict.remoteClient),
      "outcome": conflict.outcome.map { .string($0.rawValue) } ?? .null,
    ]
  }

  private static func json(_ warning: SyncWarning) -> JSONValue {
    [
      "code": .integer(Int64(warning.kind.rawValue)), "kind": .string("\(warning.kind)"),
      "entity": .string(warning.entity), "syncID": warning.object.map { .string($0.string) } ?? .null,
      "key": warning.key.map { .string($0) } ?? .null, "client": .string(warning.client),
    ]
  }

  static func json(_ blocked: BlockedAuthor) -> JSONValue {
    [
      "author": .string(blocked.author.description), "device": blocked.name.map { .string($0) } ?? .null,
      "sequence": .integer(Int64(clamping: blocked.sequence)), "obstacle": .string(blocked.obstacle),
      "since": .string(time(blocked.since)), "syncs": .integer(Int64(blocked.syncs)),
      "isFormerSelf": .boolean(blocked.isFormerSelf),
    ]
  }

  static func json(_ awaited: AwaitedValue) -> JSONValue {
    [
      "entity": .string(awaited.change.entity), "syncID": .string(awaited.change.object.string),
      "key": .string(awaited.change.key), "bytes": .integer(Int64(awaited.length)),
      "device": awaited.name.map { .string($0) } ?? .null, "isOwn": .boolean(awaited.isOwn),
      "obstacle": .string(awaited.obstacle),
      "since": .string(time(awaited.since)), "syncs": .integer(Int64(awaited.syncs)),
      "isGivenUp": .boolean(awaited.isGivenUp),
    ]
  }

  /// A number with its noun.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Milliseconds since 1970 as people write them.
  static func time(_ milliseconds: UInt64) -> String {
    DateText.wholeSecond(milliseconds: milliseconds)
  }

  /// One sentence about an author who cannot be read.
  static func sentence(_ blocked: BlockedAuthor) -> String {
    let name = blocked.name.map { "“\($0)”" } ?? "the device \(blocked.author)"
    let who = blocked.isFormerSelf ? "this device \(DeviceNaming.formerly)" : name
    let advice =
      blocked.isFormerSelf
      ? "This notebook does not have the set any more: synchronise the other devices some times, and whichever has read it says it again"
      : "Synchronise \(name), and it sends the set again; if that device is gone, synchronise the others some times, and whichever has read "
        + "the set says it again"
    return
      "set \(blocked.sequence) of \(who) \(blocked.obstacle) That is so since \(time(blocked.since)), in "
      + "\(count(blocked.syncs, "synchronisation")). \(advice). If something else lies in its place, remove that; if this account may not read it, permit it to."
  }

  /// One sentence about a text that has not come.
  static func sentence(_ awaited: AwaitedValue, _ titles: NoteTitles) -> String {
    let title = titles.shown(awaited.change.object.string)
    let device = awaited.name.map { "“\($0)”" } ?? "the device \(awaited.change.written.client)"
    let advice =
      awaited.isOwn
      ? "It was written here, and this store was restored since, or is a copy: synchronise the other devices some times, and whichever has it sends it"
      : "Synchronise \(device), which wrote it, and it is sent; if that device is gone or has lost it, synchronise the others some times, and whichever has it sends it"
    return
      "the \(awaited.change.key) of note \(title), \(awaited.length) bytes, \(awaited.obstacle) That is so since "
      + "\(time(awaited.since)), in \(count(awaited.syncs, "synchronisation")). \(advice). If something else lies in its place, remove that."
  }

  /// Warnings that are printed one by one, at most.
  private static let warningLimit = 100

  /// A line for each sentence, with its number where it is said of several things.
  static func warnings(_ sentences: [String]) -> [String] {
    var order: [String] = []
    var counts: [String: Int] = [:]
    for sentence in sentences {
      if counts[sentence] == nil { order.append(sentence) }
      counts[sentence, default: 0] += 1
    }
    let lines = order.prefix(warningLimit).map { sentence in
      let times = counts[sentence] ?? 1
      return PrintableText.line("warning: \(sentence)" + (times > 1 ? " (\(count(times, "time")))" : ""))
    }
    guard order.count > warningLimit else { return lines }
    return lines + ["warning: \(order.count - warningLimit) more; “notebook sync --json” tells all"]
  }

  /// In words.
  ///
  /// - Parameters:
  ///   - report: what the sync did.
  ///   - titles: of the notes that it names.
  ///   - console: where to.
  static func print(_ report: SyncReport, _ titles: NoteTitles, _ console: Console) {
    let requests = count(report.requests, "request")
    console.print(
      "pushed \(report.pushed), pulled \(report.pulled), applied \(count(report.applied, "change")) in \(requests)"
    )
    for sentence in ConflictSentences(report, titles).sentences {
      console.print(PrintableText.line("conflict: \(sentence)"))
    }
    for line in warnings(
      report.warnings.map { report.sentence($0) { titles.shown($0.string) } }
        + report.findings.map { report.sentence($0) })
    {
      console.print(line)
    }
    for blocked in report.blocked where blocked.syncs >= BlockedAuthor.patience {
      console.print(PrintableText.line("blocked: \(sentence(blocked))"))
    }
    for awaited in report.awaited where awaited.syncs >= BlockedAuthor.patience && !awaited.isGivenUp {
      console.print(PrintableText.line("blocked: \(sentence(awaited, titles))"))
    }
  }
}
