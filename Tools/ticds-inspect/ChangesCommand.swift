import ChangeTracking
import CommandLineTool
import Inspection

/// `changes`: every change in every set, decoded.
enum ChangesCommand {
  static let command = RemoteParameters.command(
    "changes", "Lists every change that lies on the remote, by author and in their order.",
    ChangeFilter.parameters
  ) { inspector, arguments, console in
    let filter = try ChangeFilter(arguments)
    let names = try await inspector.clientDescriptions()
    let isJSON = try arguments[RemoteParameters.json]
    var status = ToolStatus.success
    var isFirst = true
    try await inspector.forEachSet { set in
      guard filter.admits(set) else { return }
      switch set.result {
      case .failure(let failure):
        status = .findings
        console.complain(
          "ticds-inspect: “\(set.path)” cannot be read: \(DisplayText.printable(failure.description)).")
      case .success(let content):
        let client = names[set.author] ?? content.client
        let callers = [client, content.client, set.author.description]
        for change in content.syncChanges where filter.admits(change, by: callers) {
          if isJSON {
            console.write(isFirst ? "[\n" : ",\n")
            console.write(json(change, set, content.client, client).text)
            isFirst = false
          } else {
            console.print(line(change, set, client))
          }
        }
      }
    }
    if isJSON { console.print(isFirst ? "[]" : "\n]") }
    return status
  }

  static func line(_ change: SyncChange, _ set: InspectedSet, _ client: String) -> String {
    "\(DisplayText.shortened(client, to: 30))  \(set.name.sequence)  \(words(change))"
  }

  /// A change without its set.
  static func words(_ change: SyncChange) -> String {
    var words = [
      DisplayText.time(change.stamp.time),
      "\(change.kind)", DisplayText.printable(change.entity), DisplayText.printable(change.object.string),
    ]
    if let key = change.key { words.append(DisplayText.printable(key)) }
    if let long = change.longValue {
      words.append("= a value of its own, \(long.length) bytes, \(long.hash)")
    }
    if let value = change.value { words.append("= \(ValueText.text(value))") }
    switch change.kind {
    case .toOneChanged:
      words.append("→ \(change.target.map { DisplayText.printable($0.string) } ?? "nothing")")
    case .memberPlaced: words.append("# \(change.target.map { DisplayText.printable($0.string) } ?? "")")
    case .toManyAdded: words.append("+ \(change.target.map { DisplayText.printable($0.string) } ?? "")")
    case .toManyRemoved: words.append("− \(change.target.map { DisplayText.printable($0.string) } ?? "")")
    default: break
    }
    return words.joined(separator: "  ")
  }

  static func json(
    _ change: SyncChange, _ set: InspectedSet, _ client: String, _ name: String
  ) -> JSONValue {
    .object(
      [
        .init("document", .string(set.document)), .init("author", .string(set.author.description)),
        .init("client", .string(client)), .init("clientDescription", .string(name)),
        .init("sequence", .integer(Int64(clamping: set.name.sequence))),
      ] + members(change))
  }

  /// What a change says without its set.
  static func members(_ change: SyncChange) -> [JSONValue.Member] {
    let value: JSONValue = [
      "time": .string(DisplayText.time(change.stamp.time)), "kind": .string("\(change.kind)"),
      "entity": .string(change.entity), "syncID": .string(change.object.string),
      "key": change.key.map { .string($0) } ?? .null, "value": change.value.map(ValueText.json) ?? .null,
      "longValue": change.longValue.map {
        ["hash": .string($0.hash.description), "length": .integer(Int64($0.length))]
      } ?? .null,
      "target": change.target.map { .string($0.string) } ?? .null,
    ]
    guard case .object(let members) = value else { return [] }
    return members
  }
}
