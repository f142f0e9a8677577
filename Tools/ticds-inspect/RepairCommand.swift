import CommandLineTool
import Foundation
import Inspection
import RemoteAccess
import StoreAccess
import SyncProtocol

/// `repair`: shows what can be done about what is wrong, does it, or undoes what was done.
enum RepairCommand {
  private static let apply = Parameter.flag("apply", "Does what the plan says.")
  private static let undo = Parameter.optionalName(
    "undo", placeholder: "DIR", "Puts back what a repair has removed, and removes what it has written.")
  private static let anyway = Parameter.flag(
    "yes",
    "With --undo: takes it back even if devices have built on it since, or the remote looks like another one."
  )
  private static let quarantine = Parameter.optionalName(
    "quarantine", placeholder: "DIR",
    "A new folder on this device that keeps all that is removed. Without it: ticds-repair-TIME in the present folder."
  )
  private static let quarantineSize = Parameter.number(
    "quarantine-size", in: 1...1 << 30, default: 4_096,
    "How many MiB the quarantine holds at most. What does not fit stays on the remote.")
  private static let other = Parameter.optionalName(
    "from", placeholder: "REMOTE",
    "Another copy of the remote, or store:FILE for the store of a device, from which lost files are put back."
  )

  private static let rebuild = Parameter.optionalName(
    "rebuild", placeholder: "DOCUMENT",
    "The last resort where nobody has what is missing: makes the document anew of all that can be read.")

  static let command = Command.withStatus(
    "repair", "Shows what can be done about what verify finds; --apply does it, --undo takes it back.",
    [
      RemoteParameters.remote, apply, undo, anyway, quarantine, quarantineSize, other, rebuild,
      StateParameters.model,
      RemoteParameters.passwordFile, RemoteParameters.json,
    ]
      + RemoteConnection.parameters,
    exclusive: [[apply, undo], [undo, rebuild], [other, rebuild]]
  ) { arguments, console in
    let name = try arguments[RemoteParameters.remote]
    let connection = try RemoteConnection(name, arguments)
    do {
      if let folder = try arguments[undo] {
        let undoing = RepairUndo(connection: connection, remote: name, folder: folder, console: console)
        do {
          return try await undoing.run(
            anyway: try arguments[anyway], isJSON: try arguments[RemoteParameters.json])
        } catch let error as RepairError {
          throw RepairUndo.failure(error, remote: name) ?? error
        }
      }
      if try arguments[anyway] {
        throw ToolFailure.usage("--yes is for --undo alone", advice: "leave it out")
      }
      return try await repair(connection, name, arguments, console)
    } catch let error as RepairError {
      switch error {
      case .storage(let failure): throw ToolFailure(failure, remote: name, isInspecting: true)
      case .quarantine(let path, let reason, let number):
        throw number.map { ToolFailure(systemError: $0, "the quarantine “\(path)” cannot be used") }
          ?? ToolFailure(
            .forbidden, "the quarantine “\(path)” cannot be used: \(reason)",
            advice: "name another folder with --quarantine")
      case .cannotBeKept(let reason), .unsteady(let reason): throw ToolFailure(.forbidden, reason)
      case .otherVersion, .anotherRemote, .builtOn: throw error
      }
    } catch {
      throw ToolFailure(inspection: error, remote: name) ?? error
    }
  }

  /// Refuses a place where something lies: what a repair keeps is mixed with nothing.
  private static func requireNew(_ path: String) throws(ToolFailure) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    throw ToolFailure(
      .alreadyExists,
      Quarantine.isPresent(at: path)
        ? "“\(PrintableText.line(path))” is the quarantine of another repair"
        : "“\(PrintableText.line(path))” is there already",
      advice: "name a new folder with --quarantine")
  }

  /// Names a copy that cannot be used by its own name, and not by that of the remote which is to be repaired.
  private static func failure(of copy: String, _ error: InspectionError) -> ToolFailure? {
    guard case .copy(let reason) = error else { return nil }
    return ToolFailure(inspection: reason, remote: copy).map { failure in
      ToolFailure(
        failure.status, "the copy “\(PrintableText.line(copy))” cannot be used: \(failure.message)",
        advice: failure.advice)
    }
  }

  private static func repair(
    _ connection: RemoteConnection, _ name: String, _ arguments: Arguments, _ console: Console
  ) async throws -> ToolStatus {
    let backend = RetryingBackend(try connection.open(toLook: !arguments[apply]))
    let given = try RemoteParameters.given(arguments)
    let password = try arguments[RemoteParameters.passwordFile].map { file throws(ToolFailure) in
      try PasswordFile.read(file)
    }
    let inspector = RemoteInspector(backend: backend, password: password)
    let source = try arguments[other]
    let store = source?.wholeMatch(of: /store:(.+)/).map { String($0.1) }
    let keeping = try store.map { try RepairSource.store($0) }
    if let source, store == nil { try RepairSource.requireOther(source, connection, arguments) }
    let otherBackend = try (store == nil ? source : nil).map { text throws(ToolFailure) in
      RetryingBackend(try RemoteConnection(text, arguments).open())
    }
    let copy = otherBackend.map { RemoteInspector(backend: $0, password: password) }
    let model = try arguments[StateParameters.model].map(ModelArgument.load)
    let rebuilt = try arguments[rebuild]
    let plan: RepairPlan
    do {
      if let document = rebuilt {
        plan = try await inspector.planRebuild(of: document, model: model, named: given)
      } else {
        plan = try await inspector.planRepair(
          from: copy, keeping: keeping, model: model, named: given)
      }
    } catch {
      throw source.flatMap { failure(of: $0, error) } ?? error
    }
    let isJSON = try arguments[RemoteParameters.json]
    guard try arguments[apply], !plan.actions.isEmpty else {
      let verification = try arguments[apply] ? await inspector.verify(named: given) : nil
      if isJSON {
        console.print(json(plan, quarantine: nil, [], verification).text)
      } else {
        show(plan, isToBeMade: false, console)
      }
      guard let verification else { return .success }
      complain(heldUpBy: plan, console)
      return plan.heldUp.isEmpty ? VerifyCommand.status(verification.outcome) : .incomplete
    }
    let folder = try arguments[quarantine] ?? standardFolder()
    do throws(BackendError) {
      try connection.requireOutside(folder)
    } catch {
      throw ToolFailure.usage(
        "the quarantine “\(folder)” lies in the remote", advice: "name a folder elsewhere with --quarantine")
    }
    try requireNew(folder)
    let kept = try Quarantine(
      newAt: folder, limits: .init(bytes: Int64(try arguments[quarantineSize]) << 20))
    if !isJSON { show(plan, isToBeMade: true, console) }
    let repair = RemoteRepair(
      backend: RetryingBackend(try connection.open(mark: kept.mark)), other: otherBackend, quarantine: kept)
    let failures: [RepairFailure]
    do { failures = try await repair.apply(plan) } catch {
      complainOfPart(kept, folder, remote: try RemoteParameters.reached(arguments), console)
      throw error
    }
    let isUnused = kept.discardIfUnused()
    // Where nothing at all can be written, that is the matter, and not each change.
    if failures.count == plan.actions.count, let first = failures.first?.failure,
      failures.allSatisfy({ $0.failure?.code == first.code })
    {
      if !isUnused { complainOfPart(kept, folder, remote: try RemoteParameters.reached(arguments), console) }
      throw RepairError.storage(first)
    }
    let (verification, obstacle) = await verification(by: inspector, named: given)
    if isJSON {
      console.print(json(plan, quarantine: isUnused ? nil : folder, failures, verification).text)
    } else {
      for failure in failures {
        console.print(
          DisplayText.printable("not done: \(sentence(failure.action.change)) \(failure.action.path)"))
        console.print("  \(DisplayText.printable(failure.reason))")
      }
      showEnd(of: plan, isUnused ? nil : folder, remote: try RemoteParameters.reached(arguments), console)
      if let verification { VerifyCommand.show(verification, console) }
    }
    complain(failures, of: plan, console)
    complain(heldUpBy: plan, console)
    if let obstacle { complain(afterwards: obstacle, name, console) }
    guard failures.isEmpty, plan.heldUp.isEmpty else { return .incomplete }
    return verification.map { VerifyCommand.status($0.outcome) }
      ?? obstacle.flatMap { ToolFailure(inspection: $0, remote: name)?.status } ?? .incomplete
  }

  /// What is found after a repair, or why nothing is: what was put back may have withdrawn the password.
  private static func verification(
    by inspector: RemoteInspector, named given: String
  ) async -> (Verification?, InspectionError?) {
    do throws(InspectionError) {
      return (try await inspector.verify(named: given), nil)
    } catch {
      return (nil, error)
    }
  }

  private static func complain(afterwards failure: InspectionError, _ remote: String, _ console: Console) {
    let words =
      failure.isAboutPassword
      ? "the password opens the remote no more, for another holds by what was put back; verify with that one, and repair again with it"
      : "what is there now could not be verified: \(ToolFailure(inspection: failure, remote: remote)?.description ?? "\(failure)")"
    console.complain(PrintableText.line("ticds-inspect: the repair is done, but \(words)"))
  }

  /// Says how to take back what was done before the storage failed.
  private static func complainOfPart(
    _ quarantine: Quarantine, _ folder: String, remote: String, _ console: Console
  ) {
    if quarantine.discardIfUnused() { return }
    console.complain(
      "ticds-inspect: a part may have been done; to take it back: ticds-inspect repair \(remote) --undo \(ShellWord.place(folder))"
    )
  }

  /// - Parameters:
  ///   - folder: the quarantine; `nil` if nothing was done, so that there is none any more.
  ///   - remote: as it stands in a command.
  private static func showEnd(
    of plan: RepairPlan, _ folder: String?, remote: String, _ console: Console
  ) {
    guard let folder else { return console.print("Nothing was changed.") }
    let place = DisplayText.printable(folder)
    let hasRemoved = plan.actions.contains { $0.change == .putAside }
    console.print(
      hasRemoved
        ? "Done. What was removed lies in \(place); to take all back:"
        : "Done. Nothing was removed; \(place) keeps what was written; to take all back:")
    console.print("  ticds-inspect repair \(remote) --undo \(ShellWord.place(folder))")
    if plan.asksDevices {
      console.print("Synchronise the devices now: they send what they are asked for, as far as one has it.")
    }
  }

  /// Failures that are told one by one, at most.
  private static let complaints = 20

  /// Lists what could not be done, for whoever reads only that.
  private static func complain(_ failures: [RepairFailure], of plan: RepairPlan, _ console: Console) {
    guard !failures.isEmpty else { return }
    console.complain("ticds-inspect: \(failures.count) of \(plan.actions.count) changes could not be made.")
    for failure in failures.prefix(complaints) {
      console.complain(
        DisplayText.printable("not done: \(failure.action.path): \(failure.reason)"))
    }
    if failures.count > complaints { console.complain("not done: \(failures.count - complaints) more") }
  }

  /// Names the files of keys without which nothing was done.
  private static func complain(heldUpBy plan: RepairPlan, _ console: Console) {
    for path in plan.heldUp.prefix(complaints) {
      console.complain(
        DisplayText.printable(
          "ticds-inspect: nothing was done in “\(path.names[0])”, because “\(path)”, which may hold a key of it, could not be read, or not twice alike."
        ))
    }
  }

  private static func standardFolder() -> String {
    let now = DateText.wholeSecond(Date.now.timeIntervalSinceReferenceDate)
    let time = now.dropLast().filter { $0 != "-" && $0 != ":" }
    return URL.currentDirectory().appending(path: "ticds-repair-\(time)").path(percentEncoded: false)
  }

  // MARK: Showing

  private static func word(_ change: RepairAction.Change) -> String {
    switch change {
    case .putAside: "putAside"
    case .write(.bytes): "write"
    case .write(.copy): "restoreCopy"
    case .write(.fromOther): "restoreFromOther"
    case .write(.made): "writeMade"
    case .makeFolder: "makeFolder"
    }
  }

  private static func sentence(_ change: RepairAction.Change) -> String {
    switch change {
    case .putAside: "put aside"
    case .write(.bytes): "write"
    case .write(.copy(let source)): "write what “\(source)” holds:"
    case .write(.fromOther): "take from the other copy"
    case .write(.made): "write what was made anew:"
    case .makeFolder: "make the folder"
    }
  }

  private static func show(_ plan: RepairPlan, isToBeMade: Bool, _ console: Console) {
    let actions = FirstOfEachKind(plan.actions) { word($0.change) }
    for action in actions.shown {
      console.print(DisplayText.printable("\(sentence(action.change)) \(action.path)"))
      console.print("  \(DisplayText.printable(action.reason))")
    }
    for (word, count) in actions.more {
      console.print(
        "\(Amount.text(count, "more change", "more changes")) of the kind \(word); --json lists all")
    }
    let left = FirstOfEachKind(plan.left) { $0.code.rawValue }
    for finding in left.shown {
      console.print("left: \(DisplayText.printable(finding.path)) (\(finding.code.rawValue))")
      console.print("  Next: \(DisplayText.printable(finding.next))")
    }
    for line in VerifyCommand.lines(of: left) { console.print("left: \(line)") }
    for note in plan.notes { console.print(DisplayText.printable(note)) }
    let count = plan.actions.count
    let changes = "\(count) change\(count == 1 ? "" : "s")"
    console.print(
      count == 0
        ? "There is nothing to repair."
        : isToBeMade ? "\(changes) to be made." : "\(changes); --apply makes \(count == 1 ? "it" : "them").")
  }

  private static func json(
    _ plan: RepairPlan, quarantine: String?, _ failures: [RepairFailure], _ verification: Verification?
  ) -> JSONValue {
    [
      "version": 1, "applied": .boolean(quarantine != nil),
      "quarantine": quarantine.map { .string($0) } ?? .null,
      "actions": .array(plan.actions.map { json($0, reason: $0.reason) }),
      "failed": .array(failures.map { json($0.action, reason: $0.reason) }),
      "left": .array(plan.left.map(VerifyCommand.json)),
      "notes": .array(plan.notes.map { .string($0) }),
      "verification": verification.map(VerifyCommand.json) ?? .null,
    ]
  }
  private static func json(_ action: RepairAction, reason: String) -> JSONValue {
    ["change": .string(word(action.change)), "path": .string("\(action.path)"), "reason": .string(reason)]
  }
}
