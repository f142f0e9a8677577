import ChangeTracking
import CommandLineTool
import Foundation
import SyncProtocol

/// What the last synchronisation that changed notes has changed: the file `notebook.undo`, from which that is taken back.
///
/// Holds what the notes showed before, so it is as secret as the notes, and is readable by its owner only.
struct LastMerge {
  private let file: URL
  private let console: Console

  init(of folder: NotebookFolder, _ console: Console) {
    file = folder.lastMerge
    self.console = console
  }

  /// The content of the file.
  struct Content: Codable {
    static let currentVersion = 1
    var version = Self.currentVersion
    /// Up to which set each author was merged afterwards. A merge that came later, of which the file does not know because a process was
    /// killed in between, shows itself by it.
    var applied: [String: UInt64]
    var inverses: [MergeInverse]
  }

  /// Synchronises, and keeps how to take back what that changed.
  ///
  /// - Parameter synchronize: gets whether the report is to say how.
  func keeping(
    _ document: DocumentSyncManager,
    _ synchronize: (DocumentSyncManager, Bool) async throws -> SyncReport
  ) async throws -> SyncReport {
    let status = try await document.status()
    // What a device gets first is all that there is: nobody takes that back, and it may be much.
    let report: SyncReport
    do {
      report = try await synchronize(document, status.lastSync != nil)
    } catch {
      await tellOfLoss(document, since: status)
      throw error
    }
    if report.isTooMuchToUndo {
      console.complain("notebook: what this sync has changed is too much to be taken back.")
    }
    do {
      try keep(report, from: Self.applied(status), to: Self.applied(try await document.status()))
    } catch {
      // The notes are in step, which is what was asked for.
      try? remove()
      console.complain(
        "notebook: what this sync has changed cannot be taken back, because “\(file.path(percentEncoded: false))” cannot be written."
      )
    }
    return report
  }

  /// What was merged before a synchronisation failed stays, and how to take it back went with the report.
  private func tellOfLoss(_ document: DocumentSyncManager, since before: DocumentStatus) async {
    guard let now = try? await document.status(), Self.applied(now) != Self.applied(before) else { return }
    console.complain("notebook: what this sync has changed before it failed cannot be taken back.")
  }

  private func keep(_ report: SyncReport, from before: [String: UInt64], to after: [String: UInt64]) throws {
    if report.takenStore != nil || report.isTooMuchToUndo {
      try remove()
    } else if !report.inverses.isEmpty {
      try write(Content(applied: after, inverses: report.inverses))
    } else if report.pulledSets > 0, var content = try? read(), content.applied == before {
      // What came changed nothing, so the merge before is still the last.
      content.applied = after
      try write(content)
    }
  }

  /// The merge that can be taken back; `nil` if there is none.
  ///
  /// - Throws: ``ToolFailure`` if the file cannot be used.
  func inverses(_ status: DocumentStatus) throws -> [MergeInverse]? {
    guard let content = try read(), content.applied == Self.applied(status) else { return nil }
    return content.inverses
  }

  func remove() throws {
    do {
      try FileManager.default.removeItem(at: file)
    } catch CocoaError.fileNoSuchFile {
    }
  }

  private func read() throws -> Content? {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    } catch {
      throw ToolFailure(
        .forbidden, "“\(file.path(percentEncoded: false))” cannot be read",
        advice: "check its owner and permissions")
    }
    guard let content = try? PropertyListDecoder().decode(Content.self, from: data),
      content.version == Content.currentVersion
    else {
      throw ToolFailure(
        .damaged, "“\(file.path(percentEncoded: false))” is damaged",
        advice: "remove it; only the last merge cannot be taken back then")
    }
    return content
  }

  private func write(_ content: Content) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    try encoder.encode(content).write(to: file, options: .atomic)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: file.path(percentEncoded: false))
  }

  private static func applied(_ status: DocumentStatus) -> [String: UInt64] {
    Dictionary(status.replica.applied.map { ($0.author.description, $0.sequence) }) { max($0, $1) }
  }
}
