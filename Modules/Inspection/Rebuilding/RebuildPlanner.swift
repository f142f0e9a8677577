import ChangeTracking
import SyncProtocol

/// Makes a plan of what a device did that has rebuilt a document.
struct RebuildPlanner {
  private let reader: DocumentReader
  private let device: RepairDevice
  private let rebuilt: RepairDevice.Rebuilt
  private let holes: HistoryHoles
  private let damaged: Set<RemotePath>
  private let floors: [RemotePath]
  private let changes: [RemotePath: RehearsedStorage.Change]
  private var plan = RepairPlan()
  /// Places of requests and mentions that are to be there, whether they are already or not.
  private var asked: Set<RemotePath> = []

  /// Holes that are told of and asked for, at most: names can claim any number.
  private static let holeLimit = 256

  init(
    _ reader: DocumentReader, _ device: RepairDevice, _ rebuilt: RepairDevice.Rebuilt, _ holes: HistoryHoles,
    damaged: Set<RemotePath>, floors: [RemotePath]
  ) {
    self.reader = reader
    self.device = device
    self.rebuilt = rebuilt
    self.holes = holes
    self.damaged = damaged
    self.floors = floors
    changes = device.storage.changes
  }

  /// The changes: what the device has written first, then what it has removed. Interrupted in between, devices have more to read than
  /// they need, and nothing that they lack. What is missing is asked for before statements pass over it: after these no other plan finds
  /// that it is missing.
  ///
  /// - Parameter names: what people call the devices behind authors.
  mutating func plan(_ names: [AuthorID: String]) async throws -> RepairPlan {
    plan.scratch = [device.scratch]
    plan.facts = RemoteInspector.landmarks(of: [reader.application]) + facts(names)
    plan.keys = [PlannedKeys(of: reader.application)]
    let files = files()
    write(files.filter { $0.rank < Self.statements })
    try await ask(names)
    write(files.filter { $0.rank >= Self.statements })
    putAside()
    return plan
  }

  /// That it was made anew, and the newest head of each device: a newer one tells that the device has built on it.
  private func facts(_ names: [AuthorID: String]) -> [QuarantineLog.Step] {
    let folder = reader.hierarchy.recentSyncs
    // Also those that nobody here can prove: what was there is no news.
    let newest = Dictionary(reader.heads.map { ($0.author, $0) }) { max($0, $1) }
    let heads = newest.values.sorted().map { head in
      QuarantineLog.Step(
        kind: .head, path: "\(reader.hierarchy.file(of: head))", device: names[head.author])
    }
    return [.init(kind: .rebuilt, path: "\(folder)")] + heads
  }

  // MARK: Writing

  private typealias Written = (rank: Int, path: RemotePath, file: String)

  private mutating func files() -> [Written] {
    for (path, change) in changes.sorted(by: { $0.key < $1.key }) where change == .folder {
      plan.actions.append(RepairAction(path: path, change: .makeFolder, reason: "Files come into it."))
    }
    return changes.compactMap { path, change -> Written? in
      guard case .file(let file) = change, let rank = rank(FileRole(path: path.names, kind: .file)) else {
        return nil
      }
      return (rank, path, file)
    }.sorted { ($0.rank, $0.path) < ($1.rank, $1.path) }
  }

  private mutating func write(_ files: [Written]) {
    for (_, path, file) in files {
      plan.actions.append(
        RepairAction(
          path: path, change: .write(.made(file: file)),
          reason: reason(FileRole(path: path.names, kind: .file))))
    }
  }

  private static let statements = 5

  /// The order in which files come, as a device pushes them: nothing names what is not there yet. `nil` for what is of no use to others.
  private func rank(_ role: FileRole) -> Int? {
    switch role {
    case .longValue: 0
    case .set(_, rebuilt.author): 1
    case .wholeStore(let name) where name.author == rebuilt.author: 2
    case .deviceInformation: 3
    case .head(let name) where name.author == rebuilt.author: 4
    case .supersession(let name) where name.author == rebuilt.author: Self.statements
    default: nil
    }
  }

  private func reason(_ role: FileRole) -> String {
    switch role {
    case .longValue, .set: "It says again what could be read."
    case .wholeStore: "Devices that join begin with all that could be read."
    case .supersession(let name): "Nobody needs the sets of \(name.former) any more that could be read."
    default: "The device that says it again is one like others."
    }
  }

  // MARK: What is missing

  /// Notes what is missing, and leaves it asked for, as a device does that has given it up.
  private mutating func ask(_ names: [AuthorID: String]) async throws {
    guard let protection = reader.protection else { return }
    let vectors = await vectors()
    var count = 0
    for (author, ranges) in holes.ranges.sorted(by: { $0.key < $1.key }) {
      let who = names[author].map { "“\($0)” (\(author))" } ?? "\(author)"
      for hole in ranges {
        count += 1
        guard count <= Self.holeLimit else { continue }
        let (first, last) = (hole.lowerBound, hole.upperBound)
        let what = first == last ? "set \(first)" : "sets \(first) to \(last)"
        // Nobody can synchronise the device of a former repair.
        let holders = vectors.filter { holder, vector in
          holder != author && vector[author] >= last && names[holder] != RepairDevice.name
        }.keys.sorted().prefix(20).map { names[$0].map { "“\($0)”" } ?? "\($0)" }
        plan.notes.append(
          holders.isEmpty
            ? "Missing: \(what) of \(who)."
            : "Missing: \(what) of \(who). As their heads say, these devices have merged it: \(holders.joined(separator: ", ")). Synchronise one of them first, if there is one still."
        )
        let request = protection.request(
          asker: rebuilt.author, subject: .set(author: author, sequence: last),
          count: DocumentSyncManager.retirementCount)
        add(
          reader.hierarchy.file(of: request),
          "A device that comes back and has it sends it, or says it again.")
        for missed in try await missing(author, last) {
          add(
            reader.hierarchy.file(of: protection.mention(author: author, set: missed)),
            "It is missing; whoever takes part looks for it.")
        }
      }
    }
    if count > Self.holeLimit { plan.notes.append("Missing: sets in \(count - Self.holeLimit) more places.") }
  }

  /// What heads say that devices have merged.
  private func vectors() async -> [AuthorID: VersionVector] {
    var vectors: [AuthorID: VersionVector] = [:]
    for (author, head) in reader.newestHeads { vectors[author] = try? await reader.read(head).vector }
    return vectors
  }

  private mutating func add(_ path: RemotePath, _ reason: String) {
    asked.insert(path)
    plan.actions.append(RepairAction(path: path, change: .write(.bytes([])), reason: reason))
  }

  /// Sets of one number that tell which ones they continue, at most.
  private static let successorLimit = 16

  /// The names of missing sets of one number, as those after it tell them: there is more than one if a store was copied.
  private func missing(_ author: AuthorID, _ sequence: UInt64) async throws -> [SetName] {
    var names: Set<SetName> = []
    let readable = (reader.setsByAuthor[author] ?? []).filter { !damaged.contains($0.path) }
    for file in readable.filter({ $0.name.sequence == sequence + 1 }).prefix(Self.successorLimit) {
      try Task.checkCancellation()
      if let previous = try? await reader.read(file).previous {
        names.insert(SetName(sequence: sequence, hash: previous))
      }
    }
    return names.subtracting(readable.map(\.name)).sorted()
  }

  // MARK: Putting aside

  private mutating func putAside() {
    let readable = Set(
      reader.sets.filter { !damaged.contains($0.path) }.map { Published(author: $0.author, set: $0.name) })
    for node in reader.entries {
      guard let path = node.path, !asked.contains(path) else { continue }
      switch node.role {
      case .floor where floors.contains(path):
        putAside(path, "Whole stores do not hold any more what it says.")
      case .head(let head) where changes[path] == .removed:
        putAside(path, "What \(head.author) wrote was said again.")
      case .mention(let mention) where changes[path] == .removed:
        putAside(path, "What \(mention.author) wrote was said again.")
      case .head(let head) where reader.isGenuine(head) == true:
        guard let set = head.set, !readable.contains(Published(author: head.author, set: set)) else {
          continue
        }
        putAside(path, "It names a set that is missing; its author publishes it again.")
      case .mention(let mention) where reader.isGenuine(mention) == true:
        guard !readable.contains(Published(author: mention.author, set: mention.set)) else { continue }
        putAside(path, "It names a set that is missing; whoever has merged that names it again.")
      case .wholeStore where damaged.contains(path):
        putAside(path, "No device can begin with this whole store.")
      default: continue
      }
    }
    for set in reader.sets where damaged.contains(set.path) {
      putAside(set.path, "It cannot be read, and was passed over.")
    }
  }

  /// What is left to do where nothing is missing: a rebuilding that was cut off after its statements leaves heads that name missing sets.
  static func rest(of reader: DocumentReader, damaged: Set<RemotePath>) -> RepairPlan {
    var plan = RepairPlan()
    let readable = Set(
      reader.sets.filter { !damaged.contains($0.path) }.map { Published(author: $0.author, set: $0.name) })
    for head in reader.heads where reader.isGenuine(head) == true {
      guard let set = head.set, !readable.contains(Published(author: head.author, set: set)),
        set.sequence <= reader.superseded[head.author] ?? 0
      else { continue }
      plan.actions.append(
        RepairAction(
          path: reader.hierarchy.file(of: head), change: .putAside,
          reason: "It names a set that is missing, and that others have passed over."))
    }
    plan.notes = [
      "No set of “\(reader.hierarchy.document)” is missing or damaged that nobody has passed over, so there is nothing to rebuild."
    ]
    return plan
  }

  private struct Published: Hashable {
    let author: AuthorID
    let set: SetName
  }

  private mutating func putAside(_ path: RemotePath, _ reason: String) {
    plan.actions.append(RepairAction(path: path, change: .putAside, reason: reason))
  }
}
