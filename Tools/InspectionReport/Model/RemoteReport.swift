import ChangeTracking
import Foundation
import Inspection
import Locking
import ShownText
import SyncProtocol

/// Everything that a report of a remote shows, summed up so that its size does not depend on how much lies there.
public struct RemoteReport: Sendable {
  /// How the remote is named.
  public let remote: String
  /// When the report was made.
  public let made: Date
  /// Totals, documents and authors.
  public let overview: RemoteOverview
  /// What is wrong.
  public let verification: Verification
  /// What lies where.
  public let root: ReportFolder
  /// When sets were made, by document.
  public let activities: [DocumentKey: DocumentActivity]
  /// The newest sets with their changes, newest first; `nil` if they are encrypted and no password was given.
  public let newest: [ReportSet]?

  /// A document among those of all applications.
  public struct DocumentKey: Hashable, Sendable {
    /// The application's identifier.
    public let application: String
    /// The document's identifier.
    public let document: String
  }
}

extension RemoteInspector {
  /// Looks at everything that a report shows.
  ///
  /// - Parameters:
  ///   - remote: how the remote is named in the report.
  ///   - word: how it is named in the commands that the report suggests, with the options that reach it.
  ///   - made: what the report says of when it was made.
  ///   - visitor: is shown each set as well.
  /// - Throws: ``InspectionError`` if the remote as a whole cannot be read.
  public func report(
    named remote: String, inCommands word: String? = nil, made: Date, visitor: (any SetVisitor)? = nil
  ) async throws -> RemoteReport {
    let contents = ReportedSets(now: made, next: visitor)
    let examination = try await examine(named: word ?? ShellWord.place(remote), visitor: contents)
    let others = Set(examination.verification.findings.filter { $0.code == .otherPassword }.map(\.path))
    let isOpen = examination.overview.applications.allSatisfy {
      $0.protection != .locked || others.contains($0.name)
    }
    return RemoteReport(
      remote: remote, made: made, overview: examination.overview, verification: examination.verification,
      root: ReportFolder(examination.tree), activities: isOpen ? contents.activities : [:],
      newest: isOpen ? contents.newest : nil)
  }
}

/// Sums up sets while they are verified.
private final class ReportedSets: SetVisitor {
  private let now: Date
  private let sums = Locked(
    (activities: [RemoteReport.DocumentKey: DocumentActivity](), recent: RecentSets()))

  private let next: (any SetVisitor)?

  init(now: Date, next: (any SetVisitor)?) {
    self.now = now
    self.next = next
  }

  var activities: [RemoteReport.DocumentKey: DocumentActivity] { sums.withLock { $0.activities } }
  var newest: [ReportSet] { sums.withLock { $0.recent.newest } }

  func visit(_ set: InspectedSet) {
    next?.visit(set)
    // A path begins with the application, for it was found below one.
    let application = set.path.names.first?.description ?? ""
    let key = RemoteReport.DocumentKey(application: application, document: set.document)
    let time = try? set.result.get().lastTime
    let isRecent = sums.withLock { sums in
      sums.activities[key, default: .init()].add(set, now: now)
      return time.map(sums.recent.admits) ?? false
    }
    // Words take long to make: other tasks go on meanwhile.
    guard isRecent, let words = ReportSet(set, application: application) else { return }
    sums.withLock { $0.recent.add(words) }
  }
}
