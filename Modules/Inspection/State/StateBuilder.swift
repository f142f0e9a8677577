import ChangeTracking
import Foundation
import ObjectStore
import SyncProtocol

extension RemoteInspector {
  /// Makes the state of a document as of a moment.
  ///
  /// - Parameters:
  ///   - document: its identifier; `nil` if there is only one.
  ///   - moment: which sets count.
  ///   - model: the application's model; `nil` for one that is made of what the sets say.
  /// - Throws: ``InspectionError``, or what the store throws.
  public func state(
    of document: String? = nil, at moment: StateMoment = .now, model: ManagedObjectModel? = nil
  ) async throws -> DocumentState {
    let reader = try await reader(of: document)
    do {
      return try await StateBuilder(reader: reader, moment: moment, named: model).build()
    } catch {
      throw InspectionError(ofThisDevice: error) ?? error
    }
  }

  /// The author behind a device of a document: by its description, its client's identifier, or its own.
  ///
  /// - Parameters:
  ///   - name: what the device is called.
  ///   - document: the document's identifier; `nil` if there is only one.
  /// - Throws: ``InspectionError``, with `noDevice` unless exactly one is called so.
  public func author(
    called name: String, of document: String? = nil
  ) async throws(InspectionError) -> AuthorID {
    let reader = try await reader(of: document)
    var all: [AuthorID: String] = [:]
    var found: [AuthorID] = []
    for head in reader.newestHeads.values {
      let content = try? await reader.read(head)
      all[head.author] = content?.clientDescription ?? head.author.description
      if [head.author.description, content?.client, content?.clientDescription].contains(name) {
        found.append(head.author)
      }
    }
    guard let author = found.first, found.count == 1 else {
      if found.isEmpty, let folder = reader.unlistedHistory.first { throw .storage(folder.failure) }
      let names = found.isEmpty ? Array(all.values) : found.map(\.description)
      throw .noDevice(name, among: names.sorted(), isAmbiguous: !found.isEmpty)
    }
    return author
  }

  /// Reads one document.
  func reader(of document: String?) async throws(InspectionError) -> DocumentReader {
    let applications = try await applications(in: tree())
    let readers = applications.flatMap(\.documents).filter {
      document == nil || $0.hierarchy.document.description == document
    }
    guard let reader = readers.first, readers.count == 1 else {
      if readers.isEmpty { try requireListedDocuments(applications) }
      let all = applications.flatMap(\.documents).map(\.hierarchy.document.description).sorted()
      throw .noDocument(document, among: all)
    }
    try requireOpen(reader.application)
    try await requireOwnName(reader)
    return reader
  }

  /// Refuses a folder in which another document lies than its name says: nothing in it is genuine under this name.
  func requireOwnName(_ reader: DocumentReader) async throws(InspectionError) {
    guard let right = await reader.owners().all else { return }
    throw .noState(
      "“\(reader.hierarchy.root)” holds what was founded as “\(right)”; give it its name, as the verification says"
    )
  }
}

/// Merges the sets that count into a store of their own, as a device does.
struct StateBuilder {
  let reader: DocumentReader
  let moment: StateMoment
  let named: ManagedObjectModel?

  /// Sets, and changes in them, that are merged together.
  private static let batch = (sets: 64, changes: 50_000)
  /// Bytes of long values that are fetched together.
  private static let valueBytes = 64 << 20

  func build() async throws -> DocumentState {
    let scratch = try ScratchFolder.temporary()
    var sets: StateSets
    do {
      sets = try await StateSets(reader, at: moment)
    } catch {
      try reader.application.device.check()
      throw InspectionError.noState(error.description)
    }
    let floor = await reader.floor()
    try reader.application.device.check()
    var begun: Beginning?
    if sets.removed(below: floor) {
      begun = try await beginning(sets, scratch)
    } else if sets.lackBeginnings || sets.areFewer(than: wholeStores) {
      // Storage may have lost what tells that they were removed. What no whole store contains is named as missing.
      do { begun = try await beginning(sets, scratch) } catch InspectionError.noState { begun = nil }
    }
    if let begun { sets.contained = begun.contents }
    let (model, origin, leftOut) = try await model(sets, begun?.path)
    let path = DocumentState.path(in: scratch)
    if let begun { try place(begun.path, at: path) }
    var (contents, omissions) = try await merge(sets, model, at: path, isBegun: begun != nil)
    omissions += leftOut.map { "what no model can hold: \($0)" }
    omissions += misplaced
    omissions += reader.unlistedHistory.map {
      "what lies in “\($0.path)”, which cannot be listed: \($0.failure.description)"
    }
    if let begun { contents = contents.union(begun.contents) }
    try reader.application.device.check()
    return DocumentState(
      document: reader.hierarchy.document.description, model: model, origin: origin, contents: contents,
      omissions: omissions, scratch: scratch)
  }

  /// What nobody finds because it lies in a wrong place, or nobody believes.
  private var misplaced: [String] {
    let documents = reader.application.documents
    let folders = MisfiledFolders(documents).find().filter {
      $0.documents.contains(reader.hierarchy.root)
    }
    let unproven =
      !reader.heads.isEmpty && reader.newestHeads.isEmpty
      ? ["what heads name of which nothing tells that members have written them"] : []
    return folders.map { "what lies in folders of wrong names: \($0.description)" } + unproven + gone
  }

  /// Every document has a founding record. Where its folder is gone, the rest may be elsewhere, too.
  private var gone: [String] {
    let missing = EntryChecks.missingParts(of: reader.node)
    guard reader.hierarchy.integrityKey.name.map({ missing.contains($0.description) }) == true else {
      return []
    }
    return [
      "what lay in \(missing.map { "“\($0)”" }.joined(separator: ", ")), which is not there: the document was moved, or lost"
    ]
  }

  private func model(
    _ sets: StateSets, _ store: String?
  ) async throws -> (ManagedObjectModel, DocumentState.ModelOrigin, [String]) {
    if let named { return (named, .named, []) }
    if let model = store.flatMap(SoundWholeStore.model(ofStoreAt:)) { return (model, .embedded, []) }
    var derived = DerivedModel()
    _ = try await sets.forEach { derived.add($0.received.set) }
    let (model, leftOut) = try derived.model()
    return (model, .derived, leftOut)
  }

  // MARK: Merging

  private func merge(
    _ sets: StateSets, _ model: ManagedObjectModel, at path: String, isBegun: Bool
  ) async throws -> (VersionVector, [String]) {
    let replica = try open(path, model, isBegun: isBegun)
    var waiting: [ReceivedSet] = []
    var changes = 0
    var refused: [String] = []
    var blocked: Set<AuthorID> = []
    func flush() throws {
      do {
        _ = try replica.apply(waiting, policy: .always(.latest))
      } catch let error as ReplicaError where error.code == .invalidSet {
        // Nothing of any set is merged then.
        refused += try mergeEach(waiting, replica, &blocked)
      }
      (waiting, changes) = ([], 0)
    }
    var omissions = try await sets.forEach { element in
      let set = element.received.set
      guard !blocked.contains(set.author) else { return }
      if element.isAfterRestatement, let previous = set.previous {
        try flush()
        try replica.skip(set.author, through: set.sequence - 1, chain: previous)
      }
      waiting.append(element.received)
      changes += set.changes.count
      if waiting.count >= Self.batch.sets || changes >= Self.batch.changes { try flush() }
    }
    try flush()
    omissions += refused
    omissions += try await fetchValues(replica)
    return (try replica.vector(), omissions)
  }

  /// Merges sets one by one, for one of them contradicts itself; devices wait for it, and for what follows it.
  private func mergeEach(
    _ sets: [ReceivedSet], _ replica: Replica, _ blocked: inout Set<AuthorID>
  ) throws -> [String] {
    var refused: [String] = []
    for received in sets where !blocked.contains(received.set.author) {
      do {
        _ = try replica.apply([received], policy: .always(.latest))
      } catch let error as ReplicaError where error.code == .invalidSet {
        blocked.insert(received.set.author)
        refused.append(
          "set \(received.set.sequence) of author \(received.set.author), and what follows it: \(error)")
      }
    }
    return refused
  }

  private func open(_ path: String, _ model: ManagedObjectModel, isBegun: Bool) throws -> Replica {
    do {
      return try PersistentStore(model: model, path: path).newReplica(.init(client: "ticds-inspect"))
    } catch {
      guard isBegun, named == nil, !BackendError.isOfThisDevice(error) else { throw error }
      throw InspectionError.noState(
        "the oldest sets were removed, and the whole stores that contain them open only with the application's model: name it"
      )
    }
  }

  private func fetchValues(_ replica: Replica) async throws -> [String] {
    var awaited = try replica.awaitedLongValues()
    var missing = 0
    while !awaited.isEmpty {
      try Task.checkCancellation()
      var fetched = FetchedLongValues()
      var bytes = 0
      while bytes < Self.valueBytes, let value = awaited.popLast() {
        if let found = await reader.bytes(of: value), fetched.add(found, as: value) {
          bytes += value.length
        } else {
          missing += 1
        }
      }
      try replica.receive(fetched)
    }
    return missing == 0
      ? []
      : [
        missing == 1
          ? "a long value that is not there or cannot be read"
          : "\(missing) long values that are not there or cannot be read"
      ]
  }

  // MARK: Whole stores

  private struct Beginning {
    let path: String
    let contents: VersionVector
  }

  /// What the names of whole stores say.
  private var wholeStores: [WholeStoreName] {
    reader.node.all.compactMap { node in
      if case .wholeStore(let name) = node.role, reader.isGenuine(name) == true { name } else { nil }
    }
  }

  /// The newest whole store of which everything counts.
  private func beginning(_ sets: StateSets, _ scratch: ScratchFolder) async throws -> Beginning {
    guard let protection = reader.protection else {
      guard reader.isWithoutRecord else { throw InspectionError.passwordNeeded }
      throw InspectionError.noState(
        "the sets of before were removed, and without the founding record of the document nothing tells which whole stores members have made: sync a device that has joined, which puts it back within a day"
      )
    }
    let transfer = WholeStoreTransfer(
      backend: reader.application.backend, hierarchy: reader.hierarchy, protection: protection)
    var candidates: [(name: WholeStoreName, size: Int64?)] = []
    for node in reader.node.all {
      if case .wholeStore(let name) = node.role, reader.isGenuine(name) == true {
        candidates.append((name, node.size))
      }
    }
    for candidate in candidates.sorted(by: { $0.name > $1.name }) {
      try Task.checkCancellation()
      let path = scratch.file(
        "whole-\(candidate.name.sequence)-\(candidate.name.seen)-\(candidate.name.author)")
      do {
        let snapshot = try await transfer.fetch(
          .init(name: candidate.name, size: candidate.size), through: scratch, to: path, progress: nil)
        let latest = try snapshot.latestTime().milliseconds
        guard sets.covers(snapshot.contents, latest: latest) else { continue }
        _ = try SoundWholeStore(at: path)
        return Beginning(path: path, contents: snapshot.contents)
      } catch {
        if let failure = InspectionError(ofThisDevice: error) { throw failure }
      }
    }
    if let failure = reader.application.unlisted.failure(of: reader.hierarchy.wholeStore) {
      throw InspectionError.storage(failure)
    }
    throw InspectionError.noState(
      "the sets of before were removed, and there is no whole store that is as old")
  }

  /// Moves the store to its name. The files beside it are found by that.
  private func place(_ store: String, at path: String) throws {
    let files = FileManager.default
    let (from, to) = (StoreAttachments.folder(ofStoreAt: store), StoreAttachments.folder(ofStoreAt: path))
    if files.fileExists(atPath: from) { try files.moveItem(atPath: from, toPath: to) }
    try files.moveItem(atPath: store, toPath: path)
  }
}

extension DocumentReader {
  /// The bytes of a long value; `nil` if it is not there or is damaged.
  func bytes(of value: LongValue) async -> [UInt8]? {
    guard let names = try? LongValueName.candidates(value.hash, keys: application.keys.ring) else {
      return nil
    }
    for name in names {
      if let bytes = try? await read(value, in: name) { return bytes }
    }
    return nil
  }
}
