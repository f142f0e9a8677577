import CommandLineTool
import Inspection
import RemoteAccess

/// `history`: every value that an object ever had, when and from whom, and which one prevails.
enum HistoryCommand {
  private static let document = Parameter.positional("DOCUMENT", "The document's identifier.")
  private static let object = Parameter.positional("OBJECT", "The object's sync ID.")
  private static let property = Parameter.optionalName(
    "property", placeholder: "NAME", "Only this property; the object's insertions and deletions too.")

  static let command = RemoteParameters.command(
    "history", "Shows what became of an object: each change in the order of time, and which one prevails.",
    [document, object, property]
  ) { inspector, arguments, console in
    let (document, object) = (try arguments[document], try arguments[object])
    let property = try arguments[property]
    // Links between objects are recorded at one of the two ends.
    let history = try await inspector.history(of: object, in: document, hasMemberships: true)
    for set in history.unread {
      console.complain(
        "ticds-inspect: “\(set.path)” cannot be read: \(DisplayText.printable(set.failure.description)).")
    }
    let entries = history.entries.filter {
      property == nil || $0.change.key == nil || $0.change.key == property
    }
    let isJSON = try arguments[RemoteParameters.json]
    let isUndelivered = history.unread.contains(where: \.failure.isUndelivered)
    let status = history.omissions.report(
      console, otherwise: isUndelivered ? .incomplete : history.unread.isEmpty ? .success : .findings)
    guard !entries.isEmpty else {
      if status == .incomplete {
        throw ToolFailure(
          .incomplete, "no set that could be looked at changes “\(object)” in “\(document)”",
          advice: "look again when everything is there")
      }
      throw ToolFailure(
        .notFound, "no set that can be read changes “\(object)” in “\(document)”",
        advice: history.lacksBeginning
          ? "a vacuum has removed sets that whole stores contain; “export” prints what the object holds" : nil
      )
    }
    if let property, !entries.contains(where: { $0.change.key == property }) {
      let known = Set(history.entries.compactMap(\.change.key)).sorted()
      throw ToolFailure(
        .notFound, "no set that can be read changes “\(property)” of “\(object)”",
        advice: known.isEmpty
          ? "of no property anything is told"
          : "of \(known.prefix(20).map { "“\(PrintableText.line($0))”" }.joined(separator: ", ")) something is told"
      )
    }
    if history.lacksBeginning, !isJSON {
      console.complain(
        "ticds-inspect: a vacuum has removed sets that whole stores contain; what they told is not shown.")
    }
    if isJSON {
      let changes = entries.map { json($0, history.verdict(on: $0)) }
      console.print(
        JSONValue.object([
          .init("version", 2), .init("lacksBeginning", .boolean(history.lacksBeginning)),
          .init("changes", .array(changes)), .init("unlisted", history.omissions.unlisted.json),
          .init("missing", history.omissions.json),
        ]).text)
    } else {
      for entry in entries {
        console.print(ChangesCommand.line(entry.change, entry.set, shownName: name(of: entry, history)))
        console.print("  \(words(history.verdict(on: entry), on: entry, of: history))")
      }
    }
    return status
  }

  private static func name(of entry: ObjectHistory.Entry, _ history: ObjectHistory) -> String {
    history.deviceName(of: entry) { DisplayText.shortened($0, to: ChangesCommand.nameWidth) }
  }

  private static func words(
    _ verdict: ObjectHistory.Verdict, on entry: ObjectHistory.Entry, of history: ObjectHistory
  ) -> String {
    switch verdict {
    case .counts: return "counts: every contribution does"
    case .prevails: return "prevails: the latest"
    case .latestKnown: return "the latest of those that are there"
    case .deleted(let time):
      return "the latest, but the object was deleted at \(DisplayText.time(time))"
    case .overruled(let winner, let isTie):
      let time = DisplayText.time(winner.change.stamp.time)
      let isOfOneMillisecond = DisplayText.time(entry.change.stamp.time) == time
      let why =
        isTie
        ? "as late, by a greater author" : isOfOneMillisecond ? "later in the same millisecond" : "later"
      return
        "overruled by \(name(of: winner, history)) at \(time): \(why)"
    }
  }

  private static func json(_ entry: ObjectHistory.Entry, _ verdict: ObjectHistory.Verdict) -> JSONValue {
    var members: [JSONValue.Member] = []
    if case .object(let change) = ChangesCommand.json(
      entry.change, entry.set, entry.client, entry.clientDescription)
    {
      members = change
    }
    switch verdict {
    case .overruled(let winner, _):
      members.append(.init("prevails", false))
      members.append(.init("overruledBy", .string("\(winner.set.author)-\(winner.set.name.sequence)")))
    case .latestKnown: members += [.init("prevails", .null), .init("overruledBy", .null)]
    case .counts, .prevails, .deleted: members += [.init("prevails", true), .init("overruledBy", .null)]
    }
    return .object(members)
  }
}
