import ChangeTracking
import Foundation
import Inspection
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
  /// Looks at everything that a report shows. Each set is read twice, once for verifying and once for what it says.
  ///
  /// - Parameters:
  ///   - remote: how the remote is named in the report and in the commands that it suggests.
  ///   - made: what the report says of when it was made.
  /// - Throws: ``InspectionError`` if the remote as a whole cannot be read.
  public func report(named remote: String, made: Date) async throws -> RemoteReport {
    let overview = try await overview()
    let verification = try await verify(named: "'\(remote)'")
    let tree = try await tree()
    var activities: [RemoteReport.DocumentKey: DocumentActivity] = [:]
    var recent = RecentSets()
    var isOpen = true
    do {
      try await forEachSet { set in
        // A path begins with the application, for it was found below one.
        let application = set.path.names.first?.description ?? ""
        let key = RemoteReport.DocumentKey(application: application, document: set.document)
        activities[key, default: .init()].add(set, now: made)
        recent.add(set, application: application)
      }
    } catch InspectionError.passwordNeeded {
      isOpen = false
    } catch InspectionError.keyFile {
      isOpen = false
    }
    return RemoteReport(
      remote: remote, made: made, overview: overview, verification: verification, root: ReportFolder(tree),
      activities: activities, newest: isOpen ? recent.newest : nil)
  }
}
