import CommandLineTool
import SyncProtocol

/// `vacuum`: removes from the remote what nobody needs any more.
enum VacuumVerb {
  static let dryRun = Parameter.flag("dry-run", "Says what would be removed, and changes nothing.")

  static let command = Command(
    "vacuum", "Exchanges changes, then removes from the remote what nobody needs any more.",
    [StoreParameters.store, dryRun, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    try await NotebookSync.withDocument(of: folder) { document in
      let vacuum = try await document.vacuum(dryRun: try arguments[dryRun])
      if try arguments[StoreParameters.json] {
        console.print(json(vacuum).text)
        return
      }
      for finding in vacuum.sync?.findings ?? [] {
        console.complain("notebook: \(vacuum.sync?.sentence(finding) ?? "\(finding)")")
      }
      for line in lines(vacuum) { console.print(line) }
    }
  }

  private static func lines(_ vacuum: VacuumReport) -> [String] {
    let plan = vacuum.plan
    let counts = [
      SyncOutput.count(UInt64(plan.sets.count), "set"),
      SyncOutput.count(UInt64(plan.wholeStores.count), "whole store"),
      SyncOutput.count(UInt64(plan.heads.count), "old head"),
      SyncOutput.count(UInt64(plan.longValues.count), "long text"),
    ].joined(separator: ", ")
    let isWhole = vacuum.isCarriedOut && vacuum.left == 0
    var lines = [(isWhole ? "Removed: " : "To be removed: ") + counts + "."]
    if let obstacle = plan.obstacle { lines.append("No sets are removed. \(obstacle)") }
    if plan.announced > 0 {
      lines.append(
        "\(SyncOutput.count(plan.announced, "set")) can go a day after this was announced; run “notebook vacuum” again then."
      )
    }
    if plan.unusedLongValues > 0 {
      lines.append(
        "\(SyncOutput.count(UInt64(plan.unusedLongValues), "long text")) can go a day after nothing mentioned \(plan.unusedLongValues == 1 ? "it" : "them") for the first time; run “notebook vacuum” again then."
      )
    }
    if !plan.holding.isEmpty {
      lines.append(
        "\(SyncOutput.count(UInt64(plan.holding.count), "device")) \(plan.holding.count == 1 ? "has" : "have") not got everything yet, so what they lack stays for up to 90 days; “notebook devices” lists them."
      )
    }
    if !plan.absent.isEmpty {
      lines.append(
        "\(SyncOutput.count(UInt64(plan.absent.count), "device")) \(plan.absent.count == 1 ? "lacks" : "lack") what was removed, after more than 90 days away or because no whole store had arrived on joining; nobody waits for \(plan.absent.count == 1 ? "it" : "them")."
      )
    }
    if vacuum.left > 0 {
      lines.append(
        "Of these, \(SyncOutput.count(UInt64(vacuum.left), "file")) could not be removed; see that this user may remove files on the remote, and vacuum again."
      )
    }
    return lines
  }

  private static func json(_ vacuum: VacuumReport) -> JSONValue {
    let plan = vacuum.plan
    return [
      "removed": .boolean(vacuum.isCarriedOut), "sets": .integer(Int64(plan.sets.count)),
      "wholeStores": .integer(Int64(plan.wholeStores.count)), "heads": .integer(Int64(plan.heads.count)),
      "longValues": .integer(Int64(plan.longValues.count)),
      "unusedLongValues": .integer(Int64(plan.unusedLongValues)),
      "announced": .integer(Int64(clamping: plan.announced)), "left": .integer(Int64(vacuum.left)),
      "holding": .array(plan.holding.map { .string($0.description) }),
      "absent": .array(plan.absent.map { .string($0.description) }),
      "obstacle": plan.obstacle.map { .string($0.description) } ?? .null,
    ]
  }
}
