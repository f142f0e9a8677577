import ChangeTracking
import ObjectStore
import SyncProtocol

extension RemoteInspector {
  /// Decides how a document is rebuilt of all that can still be read, where its history has holes that nobody can fill. Changes nothing.
  ///
  /// A device that exists for this alone begins with the best whole store, merges every set that can be read, and says everything
  /// again under an author of its own, with statements that pass over the sets that were there. What is missing stays asked for: a device
  /// that comes back and has it says it, and all have it.
  ///
  /// - Parameters:
  ///   - document: its identifier.
  ///   - model: the application's model; `nil` for that which a whole store keeps.
  /// - Returns: the plan, whose notes say what is missing. Without actions if nothing is.
  /// - Throws: ``InspectionError``.
  public func planRebuild(
    of document: String, model: ManagedObjectModel? = nil
  ) async throws(InspectionError) -> RepairPlan {
    let (tree, applications) = try await treeWithApplications()
    let readers = applications.flatMap(\.documents)
    let found = readers.filter { $0.hierarchy.document.description == document }
    guard let reader = found.first, found.count == 1 else {
      throw .noDocument(document, among: readers.map(\.hierarchy.document.description).sorted())
    }
    if reader.application.isLocked { throw .passwordNeeded }
    let verification = try await verify(tree, applications, named: "REMOTE", depth: .data)
    let damaged = Set(
      verification.findings.filter { $0.severity == .error }.compactMap { RemotePath($0.path) })
    var holes = HistoryHoles(reader, damaged: damaged, floor: verification.floors[reader.hierarchy.root])
    var nothing = RepairPlan()
    nothing.notes = ["No set of “\(document)” is missing or damaged, so there is nothing to rebuild."]
    guard !holes.isEmpty else { return nothing }
    do {
      let floors = reader.floors.map { reader.hierarchy.file(of: $0) }
      let device = try RepairDevice(of: reader, model: model, hiding: floors)
      let rebuilt = try await device.rebuild()
      holes.remove(rebuilt.begun)
      guard !holes.isEmpty else { return nothing }
      var planner = RebuildPlanner(reader, device, rebuilt, holes, damaged: damaged, floors: floors)
      let names = await clientDescriptions(applications)
      return try await planner.plan(names)
    } catch let error as InspectionError {
      throw error
    } catch {
      if Task.isCancelled { throw .cancelled }
      throw .noState(Self.words(error))
    }
  }
}

/// The sets of a document that are named, or were there, and cannot be read.
struct HistoryHoles {
  /// The first and last set of each hole, by author, in order.
  private(set) var ranges: [AuthorID: [ClosedRange<UInt64>]] = [:]

  /// - Parameters:
  ///   - damaged: files that are not what they should be.
  ///   - floor: of each author, the last set that was removed because whole stores contain it.
  init(_ reader: DocumentReader, damaged: Set<RemotePath>, floor: VersionVector?) {
    let readable = Dictionary(grouping: reader.sets.filter { !damaged.contains($0.path) }, by: \.author)
      .mapValues { Set($0.map(\.name.sequence)) }
    var ends = floor?.sequences ?? [:]
    for (author, head) in reader.newestHeads { ends[author] = max(ends[author] ?? 0, head.sequence) }
    for (author, sets) in reader.mentions {
      ends[author] = max(ends[author] ?? 0, sets.map(\.sequence).max() ?? 0)
    }
    for set in reader.sets { ends[set.author] = max(ends[set.author] ?? 0, set.name.sequence) }
    for (author, end) in ends {
      var next = (reader.superseded[author] ?? 0) + 1
      var holes: [ClosedRange<UInt64>] = []
      for sequence in (readable[author] ?? []).sorted() where sequence >= next {
        if sequence > next { holes.append(next...sequence - 1) }
        next = sequence + 1
      }
      if end >= next { holes.append(next...end) }
      if !holes.isEmpty { ranges[author] = holes }
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// Leaves out what a whole store contains.
  mutating func remove(_ contents: VersionVector) {
    ranges = ranges.reduce(into: [:]) { rest, entry in
      let contained = contents[entry.key]
      let holes = entry.value.compactMap { hole -> ClosedRange<UInt64>? in
        hole.upperBound <= contained ? nil : max(hole.lowerBound, contained + 1)...hole.upperBound
      }
      if !holes.isEmpty { rest[entry.key] = holes }
    }
  }
}
