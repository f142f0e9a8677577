import CommandLineTool
import Inspection

/// `verify`: everything that can be checked without a device.
enum VerifyCommand {
  private static let readData = Parameter.flag(
    "read-data", "Reads all files and compares every byte, as it does without it.")
  private static let namesOnly = Parameter.flag(
    "names-only", "Looks at names, sizes and heads alone: quick, and blind to damage inside files.")

  static let command = RemoteParameters.command(
    "verify", "Checks hashes, chains, gaps, heads, authenticity and formats; exits 1 if something is wrong.",
    [readData, namesOnly], exclusive: [[readData, namesOnly]]
  ) { inspector, arguments, console in
    let verification = try await inspector.verify(
      named: try RemoteParameters.given(arguments), depth: try arguments[namesOnly] ? .names : .data,
      visitor: SetProgress(console: console))
    if try arguments[RemoteParameters.json] {
      console.print(json(verification).text)
    } else {
      show(verification, console)
    }
    return status(verification.outcome)
  }

  static func status(_ outcome: Verification.Outcome) -> ToolStatus {
    switch outcome {
    case .healthy: .success
    case .warnings: .warnings
    case .damaged: .findings
    case .unchecked: .unchecked
    }
  }

  /// A line for each code of which more was found than is shown.
  static func lines(of findings: FirstOfEachKind<Finding>) -> [String] {
    findings.more.map { code, count in
      "\(Amount.text(count, "more finding", "more findings")) of \(code); --json lists all"
    }
  }

  static func show(_ verification: Verification, _ console: Console) {
    let findings = FirstOfEachKind(verification.findings) { $0.code.rawValue }
    for finding in findings.shown {
      let severity = console.colored(finding.severity.rawValue, finding.severity.emphasis)
      console.print(
        "\(severity): \(DisplayText.printable(finding.path)) (\(finding.code.rawValue))")
      console.print("  \(DisplayText.printable(finding.message))")
      console.print("  Next: \(DisplayText.printable(finding.next))")
    }
    for line in lines(of: findings) { console.print(line) }
    let counts = [Finding.Severity.error, .warning, .hint].map { severity in
      let word = severity.rawValue
      return Amount.text(verification.findings.count { $0.severity == severity }, word, word + "s")
    }
    let looked = [
      Amount.text(verification.documents, "document", "documents"),
      Amount.text(verification.sets, "set", "sets"),
      Amount.text(verification.longValues, "long value", "long values"),
      Amount.text(verification.wholeStores, "whole store", "whole stores"),
    ].joined(separator: ", ")
    console.print(
      "\(looked) and \(Amount.text(verification.heads, "head", "heads")) checked: \(counts.joined(separator: ", "))."
    )
    if verification.depth == .names {
      console.print("Names, sizes and heads were looked at; --read-data compares every byte.")
    }
    if verification.locked > 0 {
      let files = Amount.text(verification.locked, "encrypted file", "encrypted files")
      let them = verification.locked == 1 ? "it" : "them"
      console.print(
        "The content of \(files) was not looked at; "
          + (verification.isPasswordGiven
            ? "nothing here opens \(them) with this password." : "--password-file opens \(them)."))
    }
  }

  static func json(_ verification: Verification) -> JSONValue {
    [
      "version": 1, "clean": .boolean(verification.isClean),
      "outcome": .string(verification.outcome.rawValue),
      "depth": .string(verification.depth.rawValue), "documents": .integer(Int64(verification.documents)),
      "sets": .integer(Int64(verification.sets)), "longValues": .integer(Int64(verification.longValues)),
      "wholeStores": .integer(Int64(verification.wholeStores)), "heads": .integer(Int64(verification.heads)),
      "locked": .integer(Int64(verification.locked)),
      "findings": .array(
        verification.findings.map(json)),
    ]
  }

  static func json(_ finding: Finding) -> JSONValue {
    [
      "code": .string(finding.code.rawValue), "kind": .string(finding.kind.rawValue),
      "severity": .string(finding.severity.rawValue), "path": .string(finding.path),
      "message": .string(finding.message), "next": .string(finding.next),
    ]
  }
}

extension Finding.Severity {
  /// How it is coloured.
  fileprivate var emphasis: Emphasis {
    switch self {
    case .error: .bad
    case .warning: .caution
    case .hint: .note
    }
  }
}
