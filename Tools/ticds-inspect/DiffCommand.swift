import CommandLineTool
import Foundation
import Inspection
import ObjectStore
import StoreAccess

/// `diff`: what two states of a document do not show alike.
enum DiffCommand {
  private static let words =
    "a TIME, device:NAME for what a device has seen, store:FILE for a local store, or now for all that is published."
  private static let first = Parameter.requiredName("from", placeholder: "STATE", "The first state: \(words)")
  private static let second = Parameter.optionalName(
    "to", placeholder: "STATE", "The second state. Without it: now.")

  /// The version of what `--json` prints.
  private static let version: JSONValue = 1

  static let command = RemoteParameters.command(
    "diff", "Compares two states of a document, object by object; ends with 1 if they differ.",
    [first, second, StateParameters.document, StateParameters.model]
  ) { inspector, arguments, console in
    let sides = [
      try Side(try arguments[first], "--from"), try Side(try arguments[second] ?? "now", "--to"),
    ]
    var model = try arguments[StateParameters.model].map(ModelArgument.load)
    let stores = try sides.map { try $0.store(model) }
    // A store that knows its model tells more than sets do.
    model = model ?? stores.compactMap(\.self).first { $0.modelOrigin != .derived }?.model
    let isLoose = model == nil && stores.contains { $0 != nil }
    let differences = try StateDifferences(isLoose: isLoose)
    var status = ToolStatus.success
    var states: [DocumentState] = []
    for (side, (position, store)) in zip(sides, zip([StateDifferences.Side.first, .second], stores)) {
      if let store {
        try differences.add(StateObjects(store), as: position)
        continue
      }
      let document = try arguments[StateParameters.document]
      let state = try await inspector.state(
        of: document, at: try await side.moment(inspector, document), model: model)
      try differences.add(state.objects(), as: position)
      states.append(state)
      if StateParameters.report(state, console) != .success { status = .incomplete }
    }
    for store in stores.compactMap(\.self) {
      for state in states where state.isOfOtherAuthors(than: store) {
        console.complain(
          PrintableText.line(
            "ticds-inspect: the store “\(store.path)” has merged sets of none of the authors of “\(state.document)”; it seems to be in step with another document."
          ))
      }
    }
    let count =
      try arguments[RemoteParameters.json]
      ? printJSON(differences, isIncomplete: status == .incomplete, console)
      : show(differences, isIncomplete: status == .incomplete, console)
    return status == .incomplete ? status : count > 0 ? .findings : .success
  }

  /// A state as it is named on the command line.
  private enum Side {
    case moment(StateMoment)
    case device(String)
    case file(String)

    init(_ text: String, _ name: String) throws {
      if text == "now" {
        self = .moment(.now)
      } else if let device = text.wholeMatch(of: /device:(.+)/)?.1 {
        self = .device(String(device))
      } else if let file = text.wholeMatch(of: /store:(.+)/)?.1 {
        self = .file(String(file))
      } else {
        self = .moment(.until(try CommandLineTime.milliseconds(text, name)))
      }
    }

    func store(_ model: ManagedObjectModel?) throws -> StoreFile? {
      guard case .file(let path) = self else { return nil }
      return try StoreFile(path: path, model: model)
    }

    func moment(_ inspector: RemoteInspector, _ document: String?) async throws -> StateMoment {
      switch self {
      case .moment(let moment): moment
      case .device(let name): .seen(by: try await inspector.author(called: name, of: document))
      case .file: .now
      }
    }
  }

  // MARK: Showing

  private static func show(
    _ differences: StateDifferences, isIncomplete: Bool, _ console: Console
  ) throws -> Int {
    let count = try differences.forEach { difference in
      let mark =
        switch difference.kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
      console.print(
        "\(mark) \(DisplayText.printable(difference.entity)) \(DisplayText.printable(difference.identifier))")
      for property in difference.properties {
        let name = DisplayText.printable(property.name)
        switch (property.first, property.second) {
        case (let text?, nil) where difference.kind == .removed: console.print("    \(name): \(shown(text))")
        case (nil, let text?) where difference.kind == .added: console.print("    \(name): \(shown(text))")
        default: console.print("    \(name): \(shown(property.first)) → \(shown(property.second))")
        }
      }
    }
    if count == 0 { console.print(isIncomplete ? "No difference in what is known." : "Both are equal.") }
    return count
  }

  private static func shown(_ text: String?) -> String {
    text.map { "“\(DisplayText.shortened($0))”" } ?? "nothing"
  }

  private static func printJSON(
    _ differences: StateDifferences, isIncomplete: Bool, _ console: Console
  ) throws -> Int {
    console.write(
      "{\n\"version\": \(version.text),\n\"incomplete\": \(isIncomplete),\n\"differences\": [")
    var isFirst = true
    let count = try differences.forEach { difference in
      let value: JSONValue = [
        "kind": .string(difference.kind.rawValue), "entity": .string(difference.entity),
        "id": .string(difference.identifier),
        "properties": .array(
          difference.properties.map { property in
            [
              "name": .string(property.name), "first": property.first.map { .string($0) } ?? .null,
              "second": property.second.map { .string($0) } ?? .null,
            ]
          }),
      ]
      console.write((isFirst ? "\n" : ",\n") + value.line)
      isFirst = false
    }
    console.print("\n]}")
    return count
  }
}
