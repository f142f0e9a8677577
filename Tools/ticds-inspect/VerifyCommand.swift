import CommandLineTool
import Inspection

/// `verify`: everything that can be checked without a device.
enum VerifyCommand {
  static let command = RemoteParameters.command(
    "verify", "Checks hashes, chains, gaps, heads, authenticity and formats; exits 1 if something is wrong."
  ) { inspector, arguments, console in
    let remote = try arguments[RemoteParameters.remote]
    let verification = try await inspector.verify(named: "'\(remote)'")
    if try arguments[RemoteParameters.json] {
      console.print(json(verification).text)
    } else {
      show(verification, console)
    }
    return verification.isClean ? .success : .findings
  }

  private static func show(_ verification: Verification, _ console: Console) {
    for finding in verification.findings {
      console.print("\(finding.severity.rawValue): \(DisplayText.printable(finding.path))")
      console.print("  \(DisplayText.printable(finding.message))")
      console.print("  Next: \(DisplayText.printable(finding.next))")
    }
    let counts = [Finding.Severity.error, .warning, .hint].map { severity in
      let count = verification.findings.filter { $0.severity == severity }.count
      return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let looked =
      "\(verification.documents) documents, \(verification.sets) sets, \(verification.longValues) long values, \(verification.wholeStores) whole stores and \(verification.heads) heads checked"
    console.print("\(looked): \(counts.joined(separator: ", ")).")
    if verification.locked > 0 {
      console.print(
        "The content of \(verification.locked) encrypted files was not looked at; --password-file opens them."
      )
    }
  }

  private static func json(_ verification: Verification) -> JSONValue {
    [
      "clean": .boolean(verification.isClean), "documents": .integer(Int64(verification.documents)),
      "sets": .integer(Int64(verification.sets)), "longValues": .integer(Int64(verification.longValues)),
      "wholeStores": .integer(Int64(verification.wholeStores)), "heads": .integer(Int64(verification.heads)),
      "locked": .integer(Int64(verification.locked)),
      "findings": .array(
        verification.findings.map { finding in
          [
            "kind": .string(finding.kind.rawValue), "severity": .string(finding.severity.rawValue),
            "path": .string(finding.path), "message": .string(finding.message), "next": .string(finding.next),
          ]
        }),
    ]
  }
}
