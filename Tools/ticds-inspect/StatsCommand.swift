import ChangeTracking
import CommandLineTool
import Inspection
import RemoteAccess
import SyncProtocol
import UntrustedBytes

/// `stats`: how much who has written, of what, and when.
enum StatsCommand {
  /// The version of what `--json` prints.
  private static let version: JSONValue = 1

  static let command = RemoteParameters.command(
    "stats", "Counts sets, changes and bytes by device, entity and month."
  ) { inspector, arguments, console in
    let statistics = try await inspector.statistics()
    let names = try await inspector.clientDescriptions()
    if try arguments[RemoteParameters.json] {
      console.print(json(statistics, names).text)
    } else {
      show(statistics, names, console)
    }
    let status: ToolStatus =
      statistics.unread == 0 ? .success : statistics.undelivered > 0 ? .incomplete : .findings
    return statistics.omissions.report(console, otherwise: status)
  }

  private static func writers(
    _ statistics: RemoteStatistics
  ) -> [(key: RemoteStatistics.Writer, value: RemoteStatistics.Count)] {
    statistics.writers.sorted { ($0.key.document, $0.key.author) < ($1.key.document, $1.key.author) }
  }

  // MARK: For people

  private static func show(
    _ statistics: RemoteStatistics, _ names: [AuthorID: String], _ console: Console
  ) {
    console.print("in all: \(words(statistics.total))")
    var devices = TextTable(
      [("DEVICE", .name), ("DOCUMENT", .name), ("SETS", .number), ("CHANGES", .number), ("SIZE", .number)])
    let shared = SharedNames(names)
    for (writer, count) in writers(statistics) {
      let name =
        names[writer.author].map { name in
          shared.text(name, writer.author) { "“\(DisplayText.shortened($0))”" }
        } ?? "\(writer.author)"
      devices.add([name, DisplayText.printable(writer.document)] + cells(count))
    }
    console.print(devices, indent: 2)
    if !statistics.entities.isEmpty {
      var entities = TextTable(
        [("ENTITY", .name), ("CHANGES", .number), ("INSERTED", .number), ("DELETED", .number)])
      for (name, count) in statistics.entities.sorted(by: { $0.key < $1.key }) {
        let entity = name.isEmpty ? "others" : DisplayText.printable(name)
        entities.add([entity, "\(count.changes)", "\(count.inserted)", "\(count.deleted)"])
      }
      console.print(entities, indent: 2)
    }
    if !statistics.months.isEmpty {
      var months = TextTable(
        [
          ("MONTH", .text), ("SETS", .number), ("CHANGES", .number), ("SIZE", .number),
          ("UNTIL THEN", .number),
        ])
      var grown: Int64 = 0
      for (month, count) in statistics.months.sorted(by: { $0.key < $1.key }) {
        grown = grown.saturatingSum(count.bytes)
        months.add([month] + cells(count) + [ByteSize.text(grown)])
      }
      console.print(months, indent: 2)
    }
    if statistics.unread > 0 {
      console.complain(
        "ticds-inspect: \(Amount.text(statistics.unread, "set", "sets")) cannot be read; “ticds-inspect verify” tells why."
      )
    }
  }

  private static func words(_ count: RemoteStatistics.Count) -> String {
    "\(Amount.text(count.sets, "set", "sets")), \(Amount.text(count.changes, "change", "changes")), \(ByteSize.text(count.bytes))"
  }

  private static func cells(_ count: RemoteStatistics.Count) -> [String] {
    ["\(count.sets)", "\(count.changes)", ByteSize.text(count.bytes)]
  }

  // MARK: For programs

  private static func json(_ statistics: RemoteStatistics, _ names: [AuthorID: String]) -> JSONValue {
    [
      "version": version, "total": .object(members(statistics.total)),
      "unread": .integer(Int64(statistics.unread)), "unlisted": statistics.omissions.unlisted.json,
      "missing": statistics.omissions.json,
      "devices": .array(
        writers(statistics).map { writer, count in
          .object(
            [
              .init("document", .string(writer.document)),
              .init("author", .string(writer.author.description)),
              .init("description", names[writer.author].map { .string($0) } ?? .null),
            ] + members(count))
        }),
      "entities": .array(
        statistics.entities.sorted { $0.key < $1.key }.map { name, count in
          [
            "entity": .string(name), "changes": .integer(Int64(count.changes)),
            "inserted": .integer(Int64(count.inserted)), "deleted": .integer(Int64(count.deleted)),
          ]
        }),
      "months": .array(
        statistics.months.sorted { $0.key < $1.key }.map { month, count in
          .object([.init("month", .string(month))] + members(count))
        }),
    ]
  }

  private static func members(_ count: RemoteStatistics.Count) -> [JSONValue.Member] {
    [
      .init("sets", .integer(Int64(count.sets))), .init("changes", .integer(Int64(count.changes))),
      .init("bytes", .integer(count.bytes)),
    ]
  }
}
