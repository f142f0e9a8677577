import ChangeTracking
import SyncProtocol
import UntrustedBytes

/// Looks at one document for what could be removed.
struct VacuumLook {
  let reader: DocumentReader
  let protection: DocumentProtection

  /// What a whole store contains: of each author up to which set, and which sets of his branches; and the long values that it lacks.
  private struct Content {
    var vector: VersionVector
    var sets: [AuthorID: Set<SetName>]
    var awaited: Set<ContentHash>

    func covers(_ other: Content) -> Bool {
      vector.covers(other.vector)
        && other.sets.allSatisfy { author, sets in sets.isSubset(of: self.sets[author] ?? []) }
    }
  }

  func run() async throws -> VacuumOutlook {
    var outlook = VacuumOutlook(
      application: reader.application.node.name, document: reader.hierarchy.document.description)
    let kept = try await wholeStores(&outlook)
    let members = try await members(&outlook)
    if kept.isEmpty { outlook.obstacle = .noWholeStore }
    if reader.entries.contains(where: isForgedHead) { outlook.obstacle = .unknownHeads }
    let needed = reader.unlistedHistory.map(\.path) + [reader.hierarchy.wholeStore]
    if let folder = needed.first(where: { !reader.application.unlisted.isListed($0) }) {
      outlook.obstacle = .unlistedFolder(folder)
    }
    var floors: [HistoryFloor: VersionVector] = [:]
    for case .floor(let floor) in reader.entries.map(\.role) where protection.verifies(floor) {
      try Task.checkCancellation()
      floors[floor] = try? await reader.read(floor)
    }
    let sets = reader.setsByAuthor
    let reckoning = VacuumReckoning(
      looking: members.mapValues(\.vector), stores: kept.map(\.vector), contained: kept.map(\.sets),
      sets: sets.mapValues { $0.map(\.name) }, floors: floors)
    let covered = reckoning.covered
    for (author, files) in sets.sorted(by: { $0.key < $1.key }) {
      var amount = RemoteOverview.Amount()
      for file in files where file.name.sequence <= covered[author] {
        amount.files += 1
        amount.bytes = amount.bytes.saturatingSum(file.size ?? 0)
      }
      if amount.files > 0 { outlook.sets.append(.init(author: author, amount: amount)) }
    }
    let announced = floors.filter { $0.key.phase == .announced }.values
      .reduce(VersionVector()) { $0.union($1) }
    outlook.inForce = reckoning.floor.total
    outlook.announced = announced.union(reckoning.floor).total - reckoning.floor.total
    outlook.absent = reckoning.absent
    outlook.holding = reckoning.behind.filter { !outlook.absent.contains($0) }.map { author in
      let has = members[author]?.vector.intersection(covered) ?? VersionVector()
      return .init(author: author, lacks: covered.total - has.total)
    }
    outlook.oldHeads = reader.heads.count { head in
      guard protection.verifies(head), let newest = reader.newestHeads[head.author] else { return false }
      return head != newest && head.sequence <= newest.sequence && head.seen <= newest.seen
    }
    return outlook
  }

  private func isForgedHead(_ node: RemoteNode) -> Bool {
    if case .head(let head) = node.role { !protection.verifies(head) } else { false }
  }

  // MARK: Devices

  private struct Member {
    var vector: VersionVector
    var time: UInt64
  }

  /// What each device has that has a head.
  private func members(_ outlook: inout VacuumOutlook) async throws -> [AuthorID: Member] {
    var members: [AuthorID: Member] = [:]
    for (author, name) in reader.newestHeads.sorted(by: { $0.key < $1.key }) {
      try Task.checkCancellation()
      guard let head = try? await reader.read(name) else {
        outlook.obstacle = .unreadableHead(author)
        continue
      }
      outlook.names[author] = head.clientDescription
      var vector = head.vector
      vector[author] = name.sequence
      members[author] = Member(vector: vector, time: head.time)
    }
    outlook.advised =
      members.filter { reader.superseded[$0.key] == nil }
      .max { ($0.value.vector.total, $0.value.time) < ($1.value.vector.total, $1.value.time) }?.key
    return members
  }

  // MARK: Whole stores

  /// Opens whole stores, the newest first.
  ///
  /// - Returns: what those contain that are kept.
  private func wholeStores(_ outlook: inout VacuumOutlook) async throws -> [Content] {
    var stores = reader.entries.compactMap { node -> VacuumOutlook.WholeStore? in
      guard case .wholeStore(let name) = node.role, let path = node.path, protection.verifies(name) else {
        return nil
      }
      return .init(name: name, path: path, size: node.size, verdict: .postponed)
    }.sorted { $1.name < $0.name }
    var kept: [Content] = []
    var (tried, compared) = (0, 0)
    for index in stores.indices {
      try Task.checkCancellation()
      if kept.count < VacuumPolicy.keptStores {
        guard tried < VacuumPolicy.storeTries else { break }
        tried += 1
      } else {
        guard compared < VacuumPolicy.comparisons else { break }
        compared += 1
      }
      do {
        let content = try await content(of: stores[index])
        if kept.count < VacuumPolicy.keptStores {
          kept.append(content)
          stores[index].verdict = .kept
        } else {
          // A long value that those wait for may be in this one.
          let lacking = kept.dropFirst().reduce(kept[0].awaited) { $0.intersection($1.awaited) }
          let isCovered = kept.allSatisfy { $0.covers(content) } && lacking.isSubset(of: content.awaited)
          stores[index].verdict = isCovered ? .superseded : .containsMore
        }
      } catch let error as BackendError where error.code == .cancelled {
        throw error
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        if let failure = InspectionError(ofThisDevice: error) { throw failure }
        stores[index].verdict = .damaged("\(error)")
      }
    }
    if kept.count < VacuumPolicy.keptStores {
      for index in stores.indices where stores[index].verdict == .kept { stores[index].verdict = .needed }
    }
    outlook.wholeStores = stores
    return kept
  }

  private func content(of store: VacuumOutlook.WholeStore) async throws -> Content {
    let scratch = try ScratchFolder.temporary()
    let transfer = WholeStoreTransfer(
      backend: reader.application.backend, hierarchy: reader.hierarchy, protection: protection)
    let snapshot = try await transfer.fetch(
      WholeStoreTransfer.Listed(name: store.name, size: store.size), through: scratch,
      to: scratch.file("store.sqlite"), progress: nil)
    let content = Content(
      vector: snapshot.contents,
      sets: try snapshot.settledSets().mapValues { sets in
        Set(sets.map { SetName(sequence: $0.sequence, hash: $0.hash) })
      }, awaited: try snapshot.awaitedLongValues())
    guard try !SoundWholeStore(at: scratch.file("store.sqlite")).isUnjudged else {
      throw WholeStoreTransfer.Refusal("it brings no model along, so only a device can tell whether it opens")
    }
    return content
  }
}
