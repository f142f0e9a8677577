import ChangeTracking
import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// `watch`: keeps the notebook in step until Control-C: after saves that rest, when the storage tells of changes, and now and then.
enum WatchVerb {
  /// What is done about conflicts.
  enum Choice: String, CaseIterable {
    case latest, local, remote
  }

  static let onConflict = Parameter.choice(
    "on-conflict", default: Choice.latest, "Which side wins where two devices changed the same thing.")
  static let interval = Parameter.number(
    "interval", in: 1...86_400, default: 300,
    "Seconds after which it synchronises though nothing asked for it.")
  static let rest = Parameter.number(
    "rest", in: 0...3_600, default: 3, "Seconds that saves must have rested before they are sent.")

  static let command = Command(
    "watch", "Keeps the notebook in step, with a line for each sync that did something; Control-C ends it.",
    [StoreParameters.store, onConflict, interval, rest, StoreParameters.json]
  ) { arguments, console in
    let folder = try StoreParameters.folder(arguments)
    let settings = try NotebookSettings(contentsOf: folder.settings)
    // What is wrong with the folder or the keys is said at once, not again and again.
    let document = try await NotebookSync.document(of: folder, settings)
    let synchronization = WatchedSync(
      folder: folder, conflicts: .always(answer(try arguments[onConflict])), console: console)
    let rest = Duration.seconds(try arguments[rest])
    let scheduler = SyncScheduler(
      schedule: SyncSchedule(
        rest: rest, longestRest: max(rest * 10, .seconds(1)), interval: .seconds(try arguments[interval])),
      remoteChanges: { document.remoteChanges() },
      synchronization: { () async throws(SyncError) in try await synchronization.run() })
    let outcomes = await scheduler.outcomes
    let saves = Task {
      for await _ in StoreFileChanges(folder).stream {
        // Merges write to the file as well, and leave nothing to be sent.
        guard let status = try? await document.status(), !status.replica.isPushed else { continue }
        await scheduler.noteSave()
      }
    }
    defer { saves.cancel() }
    await scheduler.start()
    let output = WatchOutput(
      folder: folder, remote: try folder.remembered(settings).remote,
      isJSON: try arguments[StoreParameters.json], console: console)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await output.show(outcomes)) } catch { outcome = .failure(error) }
    await scheduler.stop()
    await synchronization.end()
    try outcome.get()
  }

  private static func answer(_ choice: Choice) -> ConflictAnswer {
    switch choice {
    case .latest: .latest
    case .local: .local
    case .remote: .remote
    }
  }
}

/// One synchronisation after the other, each with the store opened anew, so that other commands may work on the notebook in between.
private actor WatchedSync {
  private let folder: NotebookFolder
  private let conflicts: ConflictHandling
  private let console: Console
  private var runs = 0

  init(folder: NotebookFolder, conflicts: ConflictHandling, console: Console) {
    self.folder = folder
    self.conflicts = conflicts
    self.console = console
  }

  func run() async throws(SyncError) -> SyncReport {
    runs += 1
    defer { runs -= 1 }
    do {
      return try await Self.synchronize(folder, conflicts, console)
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: any Error) -> SyncError {
    switch error {
    case let error as SyncError: return error
    case is CancellationError:
      return SyncError(.cancelled, "The synchronisation was cancelled.", recovery: "Synchronise again.")
    default:
      let failure =
        error as? ToolFailure ?? NotebookFailures.translate(error)
        ?? ToolFailure(.unexpected, "something unexpected happened: \(error)", advice: "please report it")
      return SyncError(
        failure.status == .busy ? .storeBusy : .store, failure.message + ".",
        recovery: (failure.advice ?? "try again") + ".", underlying: failure)
    }
  }

  private static func synchronize(
    _ folder: NotebookFolder, _ conflicts: ConflictHandling, _ console: Console
  ) async throws
    -> SyncReport
  {
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    let document = try await NotebookSync.document(of: folder, settings)
    return try await LastMerge(of: folder, console).keeping(document) { document, keepsInverses in
      try await document.synchronize(SyncOptions(conflicts: conflicts, keepsInverses: keepsInverses))
    }
  }

  /// Waits until what was cancelled has ended, so that nothing is cut off in the middle.
  func end() async {
    while runs > 0 {
      // The task that waits is cancelled itself, so sleeping in it would end at once.
      await Task { try? await Task.sleep(for: .milliseconds(10)) }.value
    }
  }
}

/// Reports when a notebook's file may have been written, by whatever process.
private struct StoreFileChanges {
  private let files: [String]
  /// How often is looked: a fraction of a person's patience, and two calls of the system each.
  private static let interval = Duration.milliseconds(250)

  init(_ folder: NotebookFolder) {
    let path = folder.database.path(percentEncoded: false)
    files = [path, path + "-wal"]
  }

  var stream: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        var last = state
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.interval)
          let now = state
          if now != last { continuation.yield() }
          last = now
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private struct FileState: Equatable {
    var size: UInt64?
    var changed: Date?
  }

  private var state: [FileState] {
    files.map { file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      return FileState(
        size: attributes?[.size] as? UInt64, changed: attributes?[.modificationDate] as? Date)
    }
  }
}

/// Shows what a watch does, a line for each event.
private struct WatchOutput {
  let folder: NotebookFolder
  let remote: String
  let isJSON: Bool
  let console: Console

  func show(_ outcomes: AsyncStream<SyncScheduler.Outcome>) async throws {
    var isFirst = true
    for await outcome in outcomes {
      let time = NoteOutput.time(Date())
      switch outcome {
      case .success(let report):
        guard isJSON || isFirst || Self.didSomething(report) else { continue }
        try show(report, at: time)
        isFirst = false
      case .failure(let error):
        if error.code == .cancelled { break }
        let failure = error.underlying as? ToolFailure ?? NotebookFailures.failure(error, remote: remote)
        show(failure, at: time)
        isFirst = true
      }
      if let failure = console.flush() {
        throw ToolFailure(
          failure.isFull ? .full : .forbidden, "the output could not be written: \(failure.words)")
      }
      guard console.hasReader else { break }
    }
    try Task.checkCancellation()
  }

  private static func didSomething(_ report: SyncReport) -> Bool {
    report.pushed > 0 || report.pulled > 0 || !report.findings.isEmpty || !report.warnings.isEmpty
  }

  private func show(_ report: SyncReport, at time: String) throws {
    if isJSON {
      console.print(
        JSONValue.object([
          .init("time", .string(time)), .init("sync", SyncOutput.json(report)), .init("failure", .null),
        ]).line)
    } else {
      console.write("\(time)  ")
      _ = try SyncOutput.show(report, of: folder, asJSON: false, console)
    }
  }

  private func show(_ failure: ToolFailure, at time: String) {
    if isJSON {
      console.print(
        JSONValue.object([
          .init("time", .string(time)), .init("sync", .null),
          .init("failure", .string(failure.description)),
        ]).line)
    } else {
      console.complain("\(time)  notebook: \(failure.description)")
    }
  }
}
