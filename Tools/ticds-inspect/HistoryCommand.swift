import ChangeTracking
import CommandLineTool
import Inspection

/// `history`: every value that an object ever had, when and from whom, and which one prevails.
enum HistoryCommand {
  private static let document = Parameter.positional("DOCUMENT", "The document's identifier.")
  private static let object = Parameter.positional("OBJECT", "The object's sync ID.")
  private static let property = Parameter.optionalName(
    "property", placeholder: "NAME", "Only this property; the object's insertions and deletions too.")

  /// What a change is about, of which the latest prevails.
  private struct Register: Hashable {
    var key: String?
    var member: String?
    var isPlace = false
  }

  /// A change with the set that it came in.
  private struct Entry {
    let change: SyncChange
    let set: InspectedSet
    let client: String
    let description: String

    /// `nil` for what is said to a counter, of which every contribution counts.
    var register: Register? {
      switch change.kind {
      case .valueContributed: nil
      case .objectInserted, .objectDeleted: Register()
      case .attributeChanged, .toOneChanged: Register(key: change.key)
      case .toManyAdded, .toManyRemoved: Register(key: change.key, member: change.target?.string)
      case .memberPlaced: Register(key: change.key, member: change.target?.string, isPlace: true)
      }
    }
  }

  static let command = RemoteParameters.command(
    "history", "Shows what became of an object: each change in the order of time, and which one prevails.",
    [document, object, property]
  ) { inspector, arguments, console in
    let (document, object) = (try arguments[document], try arguments[object])
    let property = try arguments[property]
    let names = try await inspector.clientDescriptions()
    var entries: [Entry] = []
    var status = ToolStatus.success
    try await inspector.forEachSet { set in
      guard set.document == document else { return }
      switch set.result {
      case .failure(let failure):
        status = .findings
        console.complain(
          "ticds-inspect: “\(set.path)” cannot be read: \(DisplayText.printable(failure.description)).")
      case .success(let content):
        let description = names[set.author] ?? content.client
        entries += content.syncChanges.filter {
          $0.object.string == object && (property == nil || $0.key == nil || $0.key == property)
        }.map { Entry(change: $0, set: set, client: content.client, description: description) }
      }
    }
    guard !entries.isEmpty else {
      throw ToolFailure(.notFound, "no set that can be read changes “\(object)” in “\(document)”")
    }
    entries.sort { $0.change.stamp < $1.change.stamp }
    var latest: [Register: Entry] = [:]
    for entry in entries { if let register = entry.register { latest[register] = entry } }
    if try arguments[RemoteParameters.json] {
      let changes = entries.map { entry in json(entry, latest) }
      console.print(JSONValue.object([.init("version", 1), .init("changes", .array(changes))]).text)
    } else {
      for entry in entries {
        console.print(ChangesCommand.line(entry.change, entry.set, entry.description))
        console.print("  \(verdict(entry, latest))")
      }
    }
    return status
  }

  private static func prevails(_ entry: Entry, _ latest: [Register: Entry]) -> Bool {
    entry.register.map { latest[$0]?.change.stamp == entry.change.stamp } ?? true
  }

  private static func verdict(_ entry: Entry, _ latest: [Register: Entry]) -> String {
    guard let register = entry.register, let winner = latest[register] else {
      return "counts: every contribution does"
    }
    if !prevails(entry, latest) {
      let time = DisplayText.time(winner.change.stamp.time)
      let why = winner.change.stamp.time == entry.change.stamp.time ? "as late, by a greater author" : "later"
      return "overruled by \(DisplayText.shortened(winner.description, to: 30)) at \(time): \(why)"
    }
    let life = latest[Register()]?.change
    if let life, life.kind == .objectDeleted, entry.change.kind != .objectDeleted {
      return "the latest, but the object was deleted at \(DisplayText.time(life.stamp.time))"
    }
    return "prevails: the latest"
  }

  private static func json(_ entry: Entry, _ latest: [Register: Entry]) -> JSONValue {
    let winner = entry.register.flatMap { latest[$0] }
    var members: [JSONValue.Member] = []
    if case .object(let change) = ChangesCommand.json(
      entry.change, entry.set, entry.client, entry.description)
    {
      members = change
    }
    members.append(.init("prevails", .boolean(prevails(entry, latest))))
    members.append(
      .init(
        "overruledBy",
        prevails(entry, latest)
          ? .null
          : winner.map { .string("\($0.set.author)-\($0.set.name.sequence)") } ?? .null))
    return .object(members)
  }
}
