import ChangeTracking
import CommandLineTool
import Inspection
import RemoteAccess
import SyncProtocol

/// `vacuum`: what could be removed, what holds it back, and removing what needs no device for it.
enum VacuumCommand {
  /// The version of what `--json` prints.
  private static let version: JSONValue = 1
  private static let dryRun = Parameter.flag("dry-run", "Says what would be removed, and changes nothing.")

  static let command = Command.withStatus(
    "vacuum", "Says what nobody needs any more and what holds it back; removes whole stores of before.",
    [RemoteParameters.remote, dryRun, RemoteParameters.passwordFile, RemoteParameters.json]
      + RemoteConnection.parameters
  ) { arguments, console in
    let name = try arguments[RemoteParameters.remote]
    let isDry = try arguments[dryRun]
    let connection = try RemoteConnection(name, arguments)
    do {
      let backend = RetryingBackend(try connection.open(toLook: isDry))
      let password = try arguments[RemoteParameters.passwordFile].map { file throws(ToolFailure) in
        try PasswordFile.read(file)
      }
      var unlisted: [UnlistedFolder] = []
      let outlooks = try await RemoteInspector(backend: backend, password: password).vacuumOutlooks {
        unlisted = $0
      }
      let left =
        isDry ? [] : try await RemoteVacuum(backend: backend).remove(outlooks.flatMap(\.removable))
      if try arguments[RemoteParameters.json] {
        console.print(json(outlooks, isDone: !isDry, left, unlisted).text)
      } else {
        for outlook in outlooks { show(outlook, isDone: !isDry, console) }
        if outlooks.isEmpty {
          console.print(
            "No document is there of which anything can be told: none at all, or none whose founding record is whole; “ticds-inspect verify” shows which."
          )
        }
        for (path, reason) in left {
          console.print("left: \(DisplayText.printable("\(path)"))")
          console.print("  \(DisplayText.printable(reason.description))")
        }
      }
      return unlisted.report(console, otherwise: left.isEmpty ? .success : .incomplete)
    } catch {
      throw ToolFailure(inspection: error, remote: name) ?? error
    }
  }

  // MARK: For people

  private static func show(_ outlook: VacuumOutlook, isDone: Bool, _ console: Console) {
    func name(_ author: AuthorID) -> String {
      outlook.names[author].map { "“\(DisplayText.shortened($0))”" } ?? author.description
    }
    console.print(
      "document \(DisplayText.printable(outlook.document)) of \(DisplayText.printable(outlook.application))")
    for store in outlook.wholeStores {
      let size = store.size.map { ", \(ByteSize.text($0))" } ?? ""
      console.print(
        "  whole store of \(name(store.name.author)), \(store.name.total) sets\(size): \(words(store.verdict, isDone: isDone))"
      )
    }
    if outlook.wholeStores.isEmpty { console.print("  no whole store is known") }
    if let obstacle = outlook.obstacle { console.print("  No set can go: \(words(obstacle, name)).") }
    for sets in outlook.sets {
      console.print(
        "  \(count(UInt64(sets.amount.files), "set")) of \(name(sets.author)), \(ByteSize.text(sets.amount.bytes)): in the whole stores; a device may remove them"
      )
    }
    if outlook.inForce > 0 {
      console.print("  \(count(outlook.inForce, "set")) need not be here, as a device has said")
    }
    if outlook.announced > 0 {
      console.print(
        "  \(count(outlook.announced, "set")) announced to be removed; that takes a day, or 90 days for who is away"
      )
    }
    for holder in outlook.holding {
      console.print(
        "  held back by \(name(holder.author)), which lacks \(count(holder.lacks, "set")) of these; they go once it has synchronised, or 90 days after they were announced"
      )
    }
    for author in outlook.absent {
      console.print(
        "  not held back by \(name(author)), which was away for too long and takes over a whole store when it returns"
      )
    }
    if outlook.oldHeads > 0 {
      console.print("  \(count(UInt64(outlook.oldHeads), "old head")); a device may remove them")
    }
    guard !outlook.sets.isEmpty || outlook.oldHeads > 0 else { return }
    let device =
      outlook.advised.map { "on the device \(name($0)), which has most" }
      ?? "on a device that has synchronised"
    console.print("  Only a device removes sets and heads: vacuum \(device).")
  }

  private static func count(_ number: UInt64, _ one: String) -> String {
    "\(number) \(one)\(number == 1 ? "" : "s")"
  }

  private static func words(_ verdict: VacuumOutlook.WholeStore.Verdict, isDone: Bool) -> String {
    switch verdict {
    case .kept: "kept, one of the newest two that open"
    case .superseded: (isDone ? "removed" : "can go") + "; the newest two contain all that it does"
    case .containsMore: "kept, for it contains what one of the newest two does not"
    case .needed: "kept, for there are not two newer ones that open"
    case .damaged(let reason):
      "does not open (\(DisplayText.printable(reason))); “ticds-inspect repair” deals with it"
    case .postponed: "not looked at; say it again when the others are gone"
    }
  }

  private static func words(_ obstacle: VacuumOutlook.Obstacle, _ name: (AuthorID) -> String) -> String {
    switch obstacle {
    case .noWholeStore: "no whole store lies there that opens; upload one from a device"
    case .unreadableHead(let author):
      "what \(name(author)) has is not known, for its head cannot be read; synchronise that device"
    case .unknownHeads:
      "names among the heads were written by nobody who is known here; “ticds-inspect verify” shows them"
    case .unlistedFolder(let path):
      "what lies in “\(DisplayText.printable("\(path)"))” is not known, for it cannot be listed"
    }
  }

  // MARK: For programs

  private static func json(
    _ outlooks: [VacuumOutlook], isDone: Bool, _ left: [(path: RemotePath, reason: BackendError)],
    _ unlisted: [UnlistedFolder]
  ) -> JSONValue {
    [
      "version": version, "removed": .boolean(isDone), "documents": .array(outlooks.map(json)),
      "left": .array(left.map { ["path": .string("\($0.path)"), "reason": .string($0.reason.description)] }),
      "unlisted": unlisted.json,
    ]
  }

  private static func json(_ outlook: VacuumOutlook) -> JSONValue {
    func device(_ author: AuthorID) -> [JSONValue.Member] {
      [
        .init("author", .string(author.description)),
        .init("description", outlook.names[author].map { .string($0) } ?? .null),
      ]
    }
    return [
      "application": .string(outlook.application), "document": .string(outlook.document),
      "wholeStores": .array(
        outlook.wholeStores.map { store in
          [
            "path": .string("\(store.path)"), "author": .string(store.name.author.description),
            "sets": .integer(Int64(clamping: store.name.total)),
            "size": store.size.map { .integer($0) } ?? .null,
            "verdict": .string(keyword(store.verdict)),
          ]
        }),
      "sets": .array(
        outlook.sets.map { sets in
          .object(
            device(sets.author) + [
              .init("sets", .integer(Int64(sets.amount.files))), .init("bytes", .integer(sets.amount.bytes)),
            ])
        }),
      "inForce": .integer(Int64(clamping: outlook.inForce)),
      "announced": .integer(Int64(clamping: outlook.announced)),
      "holding": .array(
        outlook.holding.map {
          .object(device($0.author) + [.init("lacks", .integer(Int64(clamping: $0.lacks)))])
        }),
      "absent": .array(outlook.absent.map { .object(device($0)) }),
      "oldHeads": .integer(Int64(outlook.oldHeads)),
      "obstacle": outlook.obstacle.map { .string(keyword($0)) } ?? .null,
      "advised": outlook.advised.map { .object(device($0)) } ?? .null,
    ]
  }

  private static func keyword(_ verdict: VacuumOutlook.WholeStore.Verdict) -> String {
    switch verdict {
    case .kept: "kept"
    case .superseded: "superseded"
    case .containsMore: "containsMore"
    case .needed: "needed"
    case .damaged: "damaged"
    case .postponed: "postponed"
    }
  }

  private static func keyword(_ obstacle: VacuumOutlook.Obstacle) -> String {
    switch obstacle {
    case .noWholeStore: "noWholeStore"
    case .unreadableHead: "unreadableHead"
    case .unknownHeads: "unknownHeads"
    case .unlistedFolder: "unlistedFolder"
    }
  }
}
