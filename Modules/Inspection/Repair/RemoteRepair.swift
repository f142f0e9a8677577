import ChangeTracking
import Foundation
import SyncProtocol

/// Carries out a plan on a remote, or undoes what was carried out.
///
/// Each step is a whole: interrupted anywhere, the remote is as before or repaired further, and the next plan goes on from there.
public struct RemoteRepair {
  let backend: any SyncBackend
  private let other: (any SyncBackend)?
  let quarantine: Quarantine
  let sweep: @Sendable (RemotePath) async throws(BackendError) -> Void

  /// Prepares a repair.
  ///
  /// - Parameters:
  ///   - backend: the remote.
  ///   - other: another copy of it, if the plan was made with one.
  ///   - quarantine: where all is kept.
  ///   - sweep: removes from a folder what is unfinished and bears the mark of the quarantine: what a repair that was killed was writing.
  public init(
    backend: any SyncBackend, other: (any SyncBackend)? = nil, quarantine: Quarantine,
    sweep: @escaping @Sendable (RemotePath) async throws(BackendError) -> Void = {
      (_) async throws(BackendError) in
    }
  ) {
    self.sweep = sweep
    self.backend = backend
    self.other = other
    self.quarantine = quarantine
  }

  // MARK: Doing

  /// Does what a plan says, as far as it can be done.
  ///
  /// - Returns: what could not be done because of what lies there.
  /// - Throws: ``RepairError`` if the storage as a whole fails, or the quarantine; what was done before stays done.
  @discardableResult
  public func apply(_ plan: RepairPlan) async throws(RepairError) -> [RepairFailure] {
    let replaced = Set(plan.actions.filter { $0.change == .write(.fromOther) }.map(\.path))
    var failures: [RepairFailure] = []
    try await requirePlannedKeys(plan)
    if plan.isRebuild { try await requireSteady(plan) }
    try quarantine.note(plan.facts)
    var kept: Set<StandIn> = []
    for action in plan.actions {
      // What was not taken away need not be sent again, nor named by anything else.
      if let standIn = StandIn(writing: action), kept.contains(standIn) { continue }
      do throws(RepairError) {
        try await apply(action, plan.readings, mayBeWhole: replaced.contains(action.path))
      } catch {
        guard let reason = error.reasonOfOne else { throw error }
        if case .unsteady = error, let standIn = StandIn(of: action.path) { kept.insert(standIn) }
        let failure: BackendError? = if case .storage(let failure) = error { failure } else { nil }
        failures.append(RepairFailure(action: action, reason: reason, failure: failure))
      }
    }
    return failures
  }

  typealias Readings = [RemotePath: Set<ContentHash>]

  private func apply(
    _ action: RepairAction, _ readings: Readings, mayBeWhole: Bool
  ) async throws(RepairError) {
    switch action.change {
    case .putAside:
      // What the other copy holds byte for byte is as good as it gets.
      if mayBeWhole, try await targetOfLink(action.path) == nil, try await isInOther(action.path) { return }
      try await putAside(action.path, readings)
    case .makeFolder: try await makeFolder(action.path)
    case .write(let content): try await write(content, to: action.path, readings)
    }
  }

  private func putAside(_ path: RemotePath, _ readings: Readings) async throws(RepairError) {
    if let target = try await targetOfLink(path) {
      // What it leads to is nobody's business here.
      _ = try quarantine.room()
      try quarantine.note(.removedLink, path, target: target)
      return try await removeFile(path)
    }
    guard let entry = try await stat(path) else { return }
    try await putAside(path, entry, readings, isWithinOther: false)
  }

  /// - Parameters:
  ///   - entry: what lies there, as the storage told.
  ///   - isWithinOther: whether it only lies in what is put aside.
  private func putAside(
    _ path: RemotePath, _ entry: RemoteEntry, _ readings: Readings, isWithinOther: Bool
  ) async throws(RepairError) {
    guard entry.kind == .folder else {
      // A file may be said to have more bytes than any disk, and copying what there is of it takes long.
      guard try entry.size ?? 0 <= quarantine.room() else { throw quarantine.isFull }
      return try await putAsideFile(path, readings, mayBeSound: isWithinOther)
    }
    let listing: RemoteListing
    do throws(BackendError) { listing = try await backend.list(path) } catch { throw .storage(error) }
    var links: [RemotePath] = []
    // Looked at before anything goes: of what cannot be kept, nothing of the folder is removed.
    for foreign in listing.foreign {
      guard let name = RemoteName(foreign), try await targetOfLink(path.appending(name)) != nil else {
        throw .cannotBeKept(
          "“\(path)” holds “\(foreign)”, which cannot be copied: it is neither a file nor a folder nor a link, or no storage takes its name. Move that away yourself, and repair again."
        )
      }
      links.append(path.appending(name))
    }
    for entry in listing.entries {
      try await putAside(path.appending(entry.name), entry, readings, isWithinOther: true)
    }
    for link in links { try await putAside(link, readings) }
    _ = try quarantine.room()
    try quarantine.note(.removedFolder, path)
    try await removeEmptyFolder(path)
  }

  private func putAsideFile(
    _ path: RemotePath, _ readings: Readings, mayBeSound: Bool
  ) async throws(RepairError) {
    let copy = quarantine.placeForCopy()
    let version = try await stat(path)?.version
    var steady = SteadyReading(of: path, judged: readings[path] ?? [])
    do throws(RepairError) {
      try await download(path, from: backend, to: copy) { hash in
        steady.removing(hash, mayBeSound: mayBeSound)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: copy)
      if case .storage(let failure) = error, failure.code == .notFound { return }
      throw error
    }
    try quarantine.note(.removed, path, copy: copy)
    // What has come in its place meanwhile was not kept.
    let present = try await stat(path)
    guard present?.kind == .file, present?.version == version else {
      throw .unsteady("“\(path)” was exchanged while it was put aside.")
    }
    try await removeFile(path)
  }

  /// Whether the other copy has the same file.
  private func isInOther(_ path: RemotePath) async throws(RepairError) -> Bool {
    guard let other, try await stat(path)?.kind == .file else { return false }
    let (here, there) = (quarantine.placeForCopy(), quarantine.placeForCopy())
    defer { for file in [here, there] { try? FileManager.default.removeItem(atPath: file) } }
    try await download(path, from: backend, to: here)
    try await download(path, from: other, to: there)
    return FileManager.default.contentsEqual(atPath: here, andPath: there)
  }

  private func makeFolder(_ path: RemotePath) async throws(RepairError) {
    guard !path.names.isEmpty, try await stat(path) == nil else { return }
    // Each is noted, so that undoing leaves none of those on the way.
    if let parent = path.parent { try await makeFolder(parent) }
    try quarantine.note(.madeFolder, path)
    try await makeFolderAgain(path)
  }

  private func write(
    _ content: RepairAction.Content, to path: RemotePath, _ readings: Readings
  ) async throws(RepairError) {
    guard try await stat(path) == nil else { return }
    let copy = quarantine.placeForCopy()
    switch content {
    case .bytes(let bytes): try quarantine.write(bytes, to: copy)
    case .copy(let source):
      // Its name is another's, which tells what it holds.
      var steady = SteadyReading(of: path, judged: readings[source] ?? [])
      try await download(source, from: backend, to: copy) { steady.copying($0) }
    case .made(let file): try quarantine.keep(file, at: copy)
    case .fromOther:
      guard let other else { return }
      var steady = SteadyReading(of: path, judged: [])
      try await download(path, from: other, to: copy) { steady.copying($0) }
    }
    if let parent = path.parent { try await makeFolder(parent) }
    try quarantine.note(.written, path, copy: copy)
    do throws(BackendError) {
      try await backend.createIfAbsent(file: copy, at: path) { _ in }
    } catch {
      // Somebody may have put it there meanwhile.
      if error.code != .alreadyExists { throw .storage(error) }
    }
  }

  func download(
    _ path: RemotePath, from source: any SyncBackend, to file: String
  ) async throws(RepairError) {
    let room = try quarantine.room()
    do {
      try await source.download(path, toFile: file, limit: room, expecting: nil, progress: nil)
    } catch {
      guard let failure = error as? BackendError else { throw .storage(BackendError(.cancelled, path: path)) }
      throw failure.code == .tooLarge ? quarantine.isFull : .storage(failure)
    }
  }

  // MARK: The remote

  func targetOfLink(_ path: RemotePath) async throws(RepairError) -> [UInt8]? {
    do throws(BackendError) {
      return try await backend.links?.targetOfLink(at: path)
    } catch {
      throw .storage(error)
    }
  }

  func stat(_ path: RemotePath) async throws(RepairError) -> RemoteEntry? {
    do throws(BackendError) {
      return try await backend.stat(path)
    } catch {
      if error.code == .notFound { return nil }
      throw .storage(error)
    }
  }

  func isEmpty(_ folder: RemotePath) async throws(RepairError) -> Bool {
    do throws(BackendError) {
      let listing = try await backend.list(folder)
      return listing.entries.isEmpty && listing.foreign.isEmpty
    } catch {
      throw .storage(error)
    }
  }

  func makeFolderAgain(_ path: RemotePath) async throws(RepairError) {
    do throws(BackendError) { try await backend.makeFolder(path) } catch { throw .storage(error) }
  }

  /// Removes a file or a link, and never a folder that has come in its place.
  private func removeFile(_ path: RemotePath) async throws(RepairError) {
    do throws(BackendError) {
      if let single = backend.singleRemovals { return try await single.removeFile(at: path) }
      if try await backend.stat(path).kind == .folder { throw BackendError(.isADirectory, path: path) }
      try await backend.remove(path)
    } catch {
      if error.code != .notFound { throw .storage(error) }
    }
  }

  /// Removes a folder, and nothing that has come into it since it was found empty.
  private func removeEmptyFolder(_ path: RemotePath) async throws(RepairError) {
    let single = backend.singleRemovals
    if single == nil, try await !isEmpty(path) { throw .storage(.filled(path)) }
    do throws(BackendError) {
      if let single { return try await single.removeEmptyFolder(at: path) }
      try await backend.remove(path)
    } catch {
      if error.code != .notFound { throw .storage(error) }
    }
  }

  /// Removes what was looked at.
  func remove(_ path: RemotePath, _ kind: RemoteEntry.Kind) async throws(RepairError) {
    switch kind {
    case .file: try await removeFile(path)
    case .folder: try await removeEmptyFolder(path)
    }
  }
}
