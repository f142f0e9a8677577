import ChangeTracking
import CommandLineTool
import Inspection

/// Shows what a file holds.
enum FileContentText {
  /// The version of what `--json` prints.
  private static let version: JSONValue = 1

  // MARK: For people

  static func show(_ content: FileContent, _ path: String, _ console: Console) {
    let encrypted = content.isEncrypted ? ", encrypted" : ""
    console.print(
      "\(DisplayText.printable(path)): \(words(content.kind)), \(ByteSize.text(content.size))\(encrypted)")
    for fact in content.facts { show(fact, indent: "  ", console) }
    for change in content.set?.syncChanges ?? [] { console.print("  \(ChangesCommand.words(change))") }
    if let problem = content.problem { console.print("  \(DisplayText.printable(problem))") }
  }

  private static func words(_ kind: FileContent.Kind) -> String {
    switch kind {
    case .changeSet: "a set of changes"
    case .classicChangeSet: "a set of changes of TICoreDataSync"
    case .head: "a head"
    case .founding: "the record of a founding"
    case .supersession: "a statement that sets are said again"
    case .floor: "a floor of the history"
    case .longValue: "a long value"
    case .wholeStore: "a whole store"
    case .keyFile: "a key file"
    case .sealed: "encrypted"
    case .classicContainer: "perhaps encrypted by TICoreDataSync"
    case .store: "a Core Data store"
    case .database: "an SQLite database"
    case .propertyList: "a property list"
    case .keyedArchive: "a keyed archive"
    case .zip: "a zip archive"
    case .text: "text"
    case .empty: "empty"
    case .unknown: "nothing that is known here"
    }
  }

  private static func show(_ fact: FileContent.Fact, indent: String, _ console: Console) {
    let name = DisplayText.printable(fact.name)
    switch fact.value {
    case .list(let values) where values.contains { !$0.isSimple }:
      console.print("\(indent)\(name):")
      for value in values { show(value, indent: indent + "  ", console) }
    case .group(let facts):
      console.print("\(indent)\(name):")
      for fact in facts { show(fact, indent: indent + "  ", console) }
    default: console.print("\(indent)\(name): \(text(fact.value))")
    }
  }

  private static func show(_ value: FileContent.Value, indent: String, _ console: Console) {
    switch value {
    case .list(let values):
      console.print("\(indent)-")
      for value in values { show(value, indent: indent + "  ", console) }
    case .group(let facts):
      console.print("\(indent)-")
      for fact in facts { show(fact, indent: indent + "  ", console) }
    default: console.print("\(indent)\(text(value))")
    }
  }

  private static func text(_ value: FileContent.Value) -> String {
    switch value {
    case .text(let text): text.isEmpty ? "none" : DisplayText.printable(text)
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "yes" : "no"
    case .time(let milliseconds): DisplayText.time(LogicalTime(milliseconds: milliseconds))
    case .list(let values): values.isEmpty ? "none" : values.map(text).joined(separator: ", ")
    case .group(let facts): facts.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")
    }
  }

  // MARK: For programs

  static func json(_ content: FileContent, _ path: String) -> JSONValue {
    [
      "version": version, "path": .string(path), "kind": .string(content.kind.rawValue),
      "size": .integer(content.size), "encrypted": .boolean(content.isEncrypted),
      "locked": .boolean(content.isLocked), "problem": content.problem.map { .string($0) } ?? .null,
      "facts": json(.group(content.facts)),
      "changes": content.set.map { .array($0.syncChanges.map { .object(ChangesCommand.members($0)) }) }
        ?? .null,
    ]
  }

  private static func json(_ value: FileContent.Value) -> JSONValue {
    switch value {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .flag(let flag): .boolean(flag)
    case .time(let milliseconds): .string(DisplayText.time(LogicalTime(milliseconds: milliseconds)))
    case .list(let values): .array(values.map(json))
    case .group(let facts): .object(facts.map { .init($0.name, json($0.value)) })
    }
  }
}

extension FileContent.Value {
  fileprivate var isSimple: Bool {
    switch self {
    case .text, .number, .flag, .time: true
    case .list, .group: false
    }
  }
}
