import ChangeTracking
import Foundation
import SyncProtocol

/// Takes back what a repair has done, as far as the quarantine can be trusted.
extension RemoteRepair {
  /// Puts back what a repair has removed and removes what it has written. What cannot be done keeps nothing else from being done.
  ///
  /// - Parameter anyway: whether it is done even where another remote seems to lie there, or devices have built on what was made anew.
  /// - Returns: what is not as it was. Undoing again does what can be done by then.
  /// - Throws: ``RepairError``; undoing again goes on. With `anotherRemote` or `builtOn` nothing was done.
  public func undo(anyway: Bool = false) async throws(RepairError) -> [UndoRemainder] {
    let log = try QuarantineLog(in: quarantine.path)
    var absent: [RemotePath] = []
    if !anyway {
      absent = try await absentScopes(log)
      let writers = try await laterWriters(log)
      if !writers.isEmpty { throw .builtOn(writers) }
    }
    let all = log.steps.filter(\.isUndone)
    if !all.isEmpty, !absent.isEmpty, all.allSatisfy({ $0.lies(below: absent) }) {
      throw .anotherRemote(absent)
    }
    try await sweep(all)
    var left = remainders(of: log)
    var told: Set<RemotePath> = []
    for step in all.reversed() {
      guard let path = step.place else {
        left.append(
          UndoRemainder(
            path: nil, reason: .init("Step \(step.number) of the log names no place of a remote.")))
        continue
      }
      let reason = step.lies(below: absent) ? Self.absent : try await undo(step, path, log)
      if let reason, told.insert(path).inserted { left.append(UndoRemainder(path: path, reason: reason)) }
    }
    return left
  }

  private static let absent = UndoRemainder.Reason(
    "What was repaired does not lie here any more: it was deleted, or made anew.", isTakenByOthers: true)

  /// Before folders are removed, which must be empty by then.
  private func sweep(_ steps: [QuarantineLog.Step]) async throws(RepairError) {
    // Nothing is unfinished but files.
    let files = steps.filter { [.written, .removed].contains($0.kind) }
    for folder in Set(files.compactMap { $0.place?.parent }).sorted() {
      do throws(BackendError) { try await sweep(folder) } catch {
        guard error.isAboutOneFile else { throw .storage(error) }
      }
    }
  }

  /// What the quarantine itself has lost.
  private func remainders(of log: QuarantineLog) -> [UndoRemainder] {
    var left = log.missing.map { numbers in
      let which =
        numbers.count == 1
        ? "Step \(numbers.lowerBound)" : "Steps \(numbers.lowerBound) to \(numbers.upperBound)"
      return UndoRemainder(
        path: nil, reason: .init("\(which) of the log cannot be read, so nobody knows what was done there."))
    }
    if log.isCountUnknown {
      left.append(
        UndoRemainder(
          path: nil,
          reason: .init(
            "“repair.count” of the quarantine is missing or damaged, so nobody can tell whether the log has lost steps at its end."
          )))
    }
    guard !left.isEmpty else { return [] }
    let untold = quarantine.untold(log)
    if !untold.isEmpty {
      let names = untold.prefix(20).map { "“\($0)”" }.joined(separator: ", ")
      left.append(
        UndoRemainder(
          path: nil,
          reason: .init(
            "No step tells whose copy this is: \(names)\(untold.count > 20 ? " and others" : ""). “ticds-inspect show” tells what one holds."
          )))
    }
    return left
  }

  // MARK: Whether this is what was repaired

  /// The documents and applications of which nothing lies here that was there before the repair and that it has left alone.
  private func absentScopes(_ log: QuarantineLog) async throws(RepairError) -> [RemotePath] {
    let removed = Set(log.steps.filter { $0.isRemoval }.map(\.path))
    var scopes: [RemotePath: Bool] = [:]
    for step in log.steps where step.kind == .landmark && !removed.contains(step.path) {
      guard let path = step.place else { continue }
      let scope = path.names.count < 3 ? path : RemotePath(Array(path.names.dropLast(2)))
      if scopes[scope] != true { scopes[scope] = try await isAnything(at: path) }
    }
    return scopes.filter { !$0.value }.keys.sorted()
  }

  private func isAnything(at path: RemotePath) async throws(RepairError) -> Bool {
    do throws(RepairError) {
      if try await targetOfLink(path) != nil { return true }
      return try await stat(path) != nil
    } catch {
      guard case .storage(let failure) = error, failure.isAboutOneFile else { throw error }
      return failure.code == .forbidden
    }
  }

  /// The devices that have written a head since a document was made anew: what they have merged of it is not to go.
  private func laterWriters(_ log: QuarantineLog) async throws(RepairError) -> [LaterWriter] {
    var writers: [LaterWriter] = []
    let written = Set(log.steps.filter { $0.kind == .written }.map(\.path))
    for step in log.steps where step.kind == .rebuilt {
      guard let path = step.place else { continue }
      let own = log.steps.filter { $0.kind == .head }.compactMap { head in
        head.place.flatMap { $0.parent == path ? ($0.name.flatMap { HeadName($0) }, head.device) : nil }
      }
      let known = Dictionary(own.compactMap { head, _ in head.map { ($0.author, $0) } }) { max($0, $1) }
      let names = Dictionary(own.compactMap { head, name in head.map { ($0.author, name) } }) { first, _ in
        first
      }
      for head in try await heads(in: path) {
        let place = path.appending(head.name)
        guard !written.contains("\(place)"),
          known[head.author].map({ head.sequence > $0.sequence || head.seen > $0.seen }) ?? true
        else { continue }
        writers.append(
          LaterWriter(author: "\(head.author)", name: names[head.author] ?? nil, head: place))
      }
    }
    return Dictionary(writers.map { ($0.author, $0) }) { $1 }.values.sorted { $0.author < $1.author }
  }

  private func heads(in folder: RemotePath) async throws(RepairError) -> [HeadName] {
    do throws(BackendError) {
      return try await backend.list(folder).entries.compactMap { HeadName($0.name) }.sorted()
    } catch {
      if error.isAboutOneFile { return [] }
      throw .storage(error)
    }
  }

  // MARK: One step

  private typealias Reason = UndoRemainder.Reason

  /// - Returns: why its place is not as it was; `nil` if it is.
  private func undo(
    _ step: QuarantineLog.Step, _ path: RemotePath, _ log: QuarantineLog
  ) async throws(RepairError) -> Reason? {
    do throws(RepairError) {
      // Whoever has undone this before has made the link again, and what the repair had put into the folder in its place is gone.
      if try await isBelowLinkMadeAgain(step, path, log) { return nil }
      switch step.kind {
      case .written, .madeFolder: return try await undoMaking(step, path, log)
      case .removedLink: return try await undoRemovedLink(step, path)
      case .removedFolder:
        let present = try await stat(path)
        if present == nil { try await makeFolderAgain(path) }
        return present == nil || present?.kind == .folder ? nil : .taken
      case .removed: return try await undoRemoval(step, path)
      default: return nil
      }
    } catch {
      guard case .storage(let failure) = error, failure.isAboutOneFile else { throw error }
      return Reason(failure.description, isTakenByOthers: true)
    }
  }

  /// Whether a link that the repair had put aside lies there again, or in the place of a folder on the way.
  private func isBelowLinkMadeAgain(
    _ step: QuarantineLog.Step, _ path: RemotePath, _ log: QuarantineLog
  ) async throws(RepairError) -> Bool {
    for link in log.links where link.number < step.number {
      guard let place = link.place, place.names.count <= path.names.count,
        path.names.starts(with: place.names), let target = link.target
      else { continue }
      if try await targetOfLink(place) == [UInt8](target) { return true }
    }
    return false
  }

  private func undoMaking(
    _ step: QuarantineLog.Step, _ path: RemotePath, _ log: QuarantineLog
  ) async throws(RepairError) -> Reason? {
    guard let present = try await stat(path) else { return nil }
    let isOurs =
      step.kind == .madeFolder ? present.kind == .folder : try await holds(path, present, step)
    // What lay there may be back already: the step that removed that says whether it is.
    guard isOurs else { return step.replaces == nil ? .taken : nil }
    if let number = step.replaces, let lost = try loss(ofStep: number, log) {
      return Reason("What lay there cannot be given back, so what the repair has put there stays. \(lost)")
    }
    if step.kind == .madeFolder, try await !isEmpty(path) { return .taken }
    try await remove(path, present.kind)
    return nil
  }

  /// Why what a step has removed cannot be put back.
  private func loss(ofStep number: Int, _ log: QuarantineLog) throws(RepairError) -> String? {
    guard let step = log.step(number) else { return "Step \(number) of the log cannot be read." }
    guard step.kind == .removed else { return nil }
    let scratch = try scratch()
    return withExtendedLifetime(scratch) { quarantine.take(step, to: scratch.file("copy"))?.words }
  }

  private func scratch() throws(RepairError) -> ScratchFolder {
    do { return try ScratchFolder.temporary() } catch {
      throw .quarantine(path: quarantine.path, reason: error.localizedDescription)
    }
  }

  private func undoRemoval(
    _ step: QuarantineLog.Step, _ path: RemotePath
  ) async throws(RepairError) -> Reason? {
    if let present = try await stat(path) { return try await holds(path, present, step) ? nil : .taken }
    let scratch = try scratch()
    defer { withExtendedLifetime(scratch) {} }
    let copy = scratch.file("copy")
    if let reason = quarantine.take(step, to: copy) { return reason }
    if let parent = path.parent { try await makeFolderAgain(parent) }
    do throws(BackendError) {
      try await backend.createIfAbsent(file: copy, at: path) { _ in }
    } catch {
      if error.code == .alreadyExists { return .taken }
      throw .storage(error)
    }
    return nil
  }

  private func undoRemovedLink(
    _ step: QuarantineLog.Step, _ path: RemotePath
  ) async throws(RepairError) -> Reason? {
    guard let target = step.target.map({ [UInt8]($0) }), let links = backend.links else {
      return Reason("There was a link, which this storage cannot hold.")
    }
    if let present = try await targetOfLink(path) { return present == target ? nil : .taken }
    guard try await stat(path) == nil else { return .taken }
    if let parent = path.parent { try await makeFolderAgain(parent) }
    do throws(BackendError) { try await links.makeLink(to: target, at: path) } catch { throw .storage(error) }
    return nil
  }

  /// Whether a file is what a step has removed or written. The log tells that by itself, should the copy be damaged.
  private func holds(
    _ path: RemotePath, _ entry: RemoteEntry, _ step: QuarantineLog.Step
  ) async throws(RepairError) -> Bool {
    guard entry.kind == .file, let size = step.size, let hash = step.hash else { return false }
    if let present = entry.size, present != size { return false }
    let scratch = try scratch()
    let file = scratch.file("present")
    do {
      try await backend.download(path, toFile: file, limit: size, expecting: nil, progress: nil)
      return try "\(LocalFile.hash(of: file))" == hash
    } catch let failure as BackendError {
      if [.isADirectory, .tooLarge].contains(failure.code) { return false }
      throw .storage(failure)
    } catch {
      throw .storage(BackendError(.cancelled, path: path))
    }
  }
}

extension QuarantineLog.Step {
  var isRemoval: Bool { [.removed, .removedFolder, .removedLink].contains(kind) }

  /// Whether there is something to undo.
  var isUndone: Bool { isRemoval || kind == .written || kind == .madeFolder }

  /// Its place, if it is one on a remote. What others have put into a folder that was put aside has names that ours have not.
  var place: RemotePath? { RemotePath(path) ?? RemotePath(path, .classic) }

  /// Whether it was done in one of some folders.
  func lies(below scopes: [RemotePath]) -> Bool {
    guard !scopes.isEmpty, let path = place else { return false }
    return scopes.contains { path.names.starts(with: $0.names) }
  }
}
