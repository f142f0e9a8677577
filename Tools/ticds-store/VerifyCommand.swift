import ChangeTracking
import CommandLineTool
import ObjectStore

/// `verify`: everything that can be checked without the application.
enum VerifyCommand {
  static let command = Command.withStatus(
    "verify",
    "Checks the file, its bookkeeping, every relationship and value; exits 1 if something is wrong.",
    [StoreParameters.file, StoreParameters.model, StoreParameters.json],
    body: { arguments, console in
      let store = try StoreParameters.open(arguments)
      let isForPrograms = try arguments[StoreParameters.json]
      var counts: [StoreFinding.Severity: Int] = [:]
      try store.verify { finding in
        try Task.checkCancellation()
        counts[finding.severity, default: 0] += 1
        console.print(isForPrograms ? json(finding).line : text(finding))
      }
      for object in try store.persistentStore?.objectsRepeatingSyncIDs() ?? [] {
        counts[.error, default: 0] += 1
        console.print(
          isForPrograms ? repeated(object).line : PrintableText.line("error: \(object): \(repetition)"))
      }
      let isClean = (counts[.error] ?? 0) + (counts[.warning] ?? 0) == 0
      if !isForPrograms {
        let words = [StoreFinding.Severity.error, .warning, .hint].map { severity in
          let count = counts[severity] ?? 0
          return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        console.print(words.joined(separator: ", ") + ".")
      }
      return isClean ? ToolStatus.success : .findings
    })

  private static let repetition =
    "its sync ID is that of another object; the next synchronisation gives it one of its own"

  private static func repeated(_ object: String) -> JSONValue {
    [
      "severity": "error", "kind": "repeatedSyncID", "object": .string(object),
      "property": .string(SyncModelKey.syncID), "message": .string(repetition),
    ]
  }

  private static func text(_ finding: StoreFinding) -> String {
    let place = [finding.object, finding.property].compactMap { $0 }.joined(separator: " ")
    return PrintableText.line(
      "\(finding.severity.rawValue): \(place.isEmpty ? "" : "\(place): ")\(finding.message)")
  }

  private static func json(_ finding: StoreFinding) -> JSONValue {
    [
      "severity": .string(finding.severity.rawValue), "kind": .string(finding.kind.rawValue),
      "object": finding.object.map { .string($0) } ?? .null,
      "property": finding.property.map { .string($0) } ?? .null, "message": .string(finding.message),
    ]
  }
}
