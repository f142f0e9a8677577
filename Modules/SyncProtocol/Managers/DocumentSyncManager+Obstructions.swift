/// Something else that lies where a file or folder belongs. It stops nothing beside it, and is nobody's to remove but a person's, unless
/// it lies where this device alone has anything to write.
extension DocumentSyncManager {
  /// Writes what bears a name that only members can make: sets of this device, and what lies among the heads. What lies in the way is
  /// removed, for what others put there is nothing of theirs, and said.
  func writingOwn(_ report: inout SyncReport, _ write: () async throws -> Void) async throws {
    do {
      try await write()
    } catch let error as BackendError where error.isObstruction {
      let path = try await obstruction(on: error.path)
      guard try isOwn(path), try await isObstructed(path) else { throw error }
      try await backend.remove(path)
      report.findings.append(.cleared(path))
      try await write()
    }
  }

  /// Whether a path is that of sets which this store has written, also as a former author, or of what it writes among the heads. Where
  /// several write the same there, it is what the name says.
  private func isOwn(_ path: RemotePath) throws -> Bool {
    let author = try replica.author
    let authors = try replica.sentAuthors() + [author]
    if authors.contains(where: { path.names.starts(with: hierarchy.changes(of: $0).names) }) { return true }
    guard path.parent == hierarchy.recentSyncs, let name = path.name else { return false }
    return HeadName(name).map { $0.author == author } ?? true
  }

  /// Adds to a report what lies in the way of a request that failed.
  func noteObstruction(_ error: BackendError, _ report: inout SyncReport) async throws {
    report.note(obstruction: try await obstruction(on: error.path))
  }

  /// Looks whether what stood in the way before still does, and goes on saying so: one request for each.
  ///
  /// - Returns: whether something has gone, so that it is worth trying again at once.
  func lookAtObstructions(_ report: inout SyncReport) async throws -> Bool {
    var hasGone = false
    for obstruction in try pins.obstructions().prefix(Self.answerLimit) {
      let finding = SyncFinding.obstructed(obstruction.path)
      guard !report.findings.contains(finding) else { continue }
      if try await isObstructed(obstruction.path) {
        report.findings.append(finding)
      } else {
        hasGone = true
      }
    }
    return hasGone
  }

  private func isObstructed(_ path: RemotePath) async throws(BackendError) -> Bool {
    do throws(BackendError) {
      return (try await backend.stat(path).kind == .folder) != isFolder(path)
    } catch {
      // Neither a file nor a folder, such as a link.
      guard error.isAboutOneFile else { throw error }
      return error.code != .notFound
    }
  }

  /// Whether a folder belongs at a path.
  private func isFolder(_ path: RemotePath) -> Bool {
    let application = hierarchy.application
    let folders =
      application.folders + hierarchy.folders + [
        application.encryption, application.founding, application.information, application.deletedDocuments,
        hierarchy.integrityKey, hierarchy.longValues,
      ]
    return folders.contains(path) || path.parent == hierarchy.syncChanges
  }

  /// The first entry on the way to a path that is a file; the path itself if there is none.
  private func obstruction(on path: RemotePath) async throws(BackendError) -> RemotePath {
    for length in 1..<max(1, path.names.count) {
      let folder = RemotePath(Array(path.names[..<length]))
      do throws(BackendError) {
        guard try await backend.stat(folder).kind == .file else { continue }
      } catch {
        // A link or a pipe is no entry of ours, and is in the way as well.
        guard error.isAboutOneFile else { throw error }
      }
      return folder
    }
    return path
  }
}

extension SyncReport {
  /// Adds what lies in the way, once.
  mutating func note(obstruction path: RemotePath) {
    if !findings.contains(.obstructed(path)) { findings.append(.obstructed(path)) }
  }
}

extension BackendError {
  /// Whether something of another kind than what was asked for lies there.
  var isObstruction: Bool { code == .notADirectory || code == .isADirectory }
}
