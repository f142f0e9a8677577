import ChangeTracking
import CommandLineTool
import Inspection

/// `changes`: every change in every set, decoded.
enum ChangesCommand {
  static let follow = Parameter.flag(
    "follow",
    "Goes on with the changes that are pushed from now on, until Control-C; with --json a line each.")

  static let command = RemoteParameters.command(
    "changes", "Lists every change that lies on the remote, by author and in their order.",
    ChangeFilter.parameters + [follow, WatchCommand.interval]
  ) { inspector, arguments, console in
    let filter = try ChangeFilter(arguments)
    let isJSON = try arguments[RemoteParameters.json]
    var unmet = ChangeFilter.Unmet(filter)
    if arguments.contains(WatchCommand.interval), !(try arguments[follow]) {
      throw ToolFailure.usage("--interval is for --follow alone", advice: "leave it out, or add --follow")
    }
    if try arguments[follow] {
      try await WatchCommand.watch(inspector, arguments, console) { set, name in
        _ = print(set, by: name, filter, &unmet, console) { change in
          console.print(isJSON ? change.json.line : change.text(SharedNames()))
        }
      }
      return .success
    }
    let names = try await inspector.clientDescriptions()
    let shared = SharedNames(names)
    var status = ToolStatus.success
    var isFirst = true
    var omissions = HistoryOmissions()
    try await inspector.forEachSet(whenListed: { omissions = $0 }, whenRead: { omissions = $0 }) { set in
      let failure = print(set, by: names[set.author], filter, &unmet, console) { change in
        guard isJSON else { return console.print(change.text(shared)) }
        console.write(isFirst ? "[\n" : ",\n")
        console.write(json(change, isIncomplete: !omissions.isEmpty).text)
        isFirst = false
      }
      if failure?.isUndelivered == true {
        status = .incomplete
      } else if failure != nil, status == .success {
        status = .findings
      }
    }
    if isJSON { console.print(isFirst ? "[]" : "\n]") }
    status = omissions.report(console, otherwise: status)
    if status == .success, !unmet.isEmpty {
      throw ToolFailure(
        .notFound, "no set that lies there is of what was asked for with \(unmet.description)",
        advice: "“documents” and “devices” list what is there; capital letters count")
    }
    return status
  }

  /// A change with the set that it came in.
  private struct Shown {
    let change: SyncChange
    let set: InspectedSet
    let client: String
    let name: String

    func text(_ shared: SharedNames) -> String {
      ChangesCommand.line(
        change, set,
        shownName: shared.text(name, set.author) { DisplayText.shortened($0, to: ChangesCommand.nameWidth) })
    }
    var json: JSONValue { ChangesCommand.json(change, set, client, name) }
  }

  /// Each change says by itself whether others are missing, for there may be more of them than fit into memory.
  private static func json(_ change: Shown, isIncomplete: Bool) -> JSONValue {
    guard isIncomplete, case .object(let members) = change.json else { return change.json }
    return .object(members + [.init("incomplete", true)])
  }

  /// Shows the changes of a set that were asked for.
  ///
  /// - Returns: why the set cannot be read; `nil` if it can, or was not asked for.
  private static func print(
    _ set: InspectedSet, by name: String?, _ filter: ChangeFilter, _ unmet: inout ChangeFilter.Unmet,
    _ console: Console, _ show: (Shown) -> Void
  ) -> ReadingFailure? {
    guard filter.admits(set) else { return nil }
    unmet.meet(set, [], by: [])
    switch set.result {
    case .failure(let failure):
      console.complain(
        "ticds-inspect: “\(set.path)” cannot be read: \(DisplayText.printable(failure.description)).")
      return failure
    case .success(let content):
      let client = name ?? content.client
      let callers = [client, content.client, set.author.description]
      let changes = content.syncChanges
      unmet.meet(set, changes, by: callers)
      for change in changes where filter.admits(change, by: callers) {
        show(Shown(change: change, set: set, client: content.client, name: client))
      }
      return nil
    }
  }

  /// Characters of a client's name in a line, at most.
  static let nameWidth = 30

  static func line(_ change: SyncChange, _ set: InspectedSet, shownName name: String) -> String {
    "\(name)  \(set.name.sequence)  \(words(change))"
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
        .init("version", 1), .init("document", .string(set.document)),
        .init("author", .string(set.author.description)),
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
