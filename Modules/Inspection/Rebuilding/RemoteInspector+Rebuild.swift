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
  ///   - remote: how the remote is named in the commands that findings suggest.
  /// - Returns: the plan, whose notes say what is missing. Without actions if nothing is.
  /// - Throws: ``InspectionError``.
  public func planRebuild(
    of document: String, model: ManagedObjectModel? = nil, named remote: String = "REMOTE"
  ) async throws(InspectionError) -> RepairPlan {
    try await judging { inspector, keys throws(InspectionError) in
      try await inspector.rebuildPlan(of: document, model: model, named: remote, keys)
    }
  }

  private func rebuildPlan(
    of document: String, model: ManagedObjectModel?, named remote: String, _ keys: SteadyKeyReadings
  ) async throws(InspectionError) -> RepairPlan {
    let (tree, applications) = try await treeWithApplications()
    let readers = applications.flatMap(\.documents)
    let found = readers.filter { $0.hierarchy.document.description == document }
    guard let reader = found.first, found.count == 1 else {
      throw .noDocument(document, among: readers.map(\.hierarchy.document.description).sorted())
    }
    try requireOpen(reader.application)
    // What is missing may lie there.
    if let failure = reader.application.unlisted.failure(atOrBelow: reader.hierarchy.root) {
      throw .storage(failure)
    }
    let verification = try await verify(tree, applications, named: remote, depth: .data)
    if let failure = keys.failure(holdingUp: reader.application) { throw .storage(failure) }
    try Self.requireNothingElsewhere(of: reader, in: tree, verification)
    // A set that does not continue the one before it can be read: that one is missing.
    let damaged = Set(
      verification.findings.filter { $0.severity == .error && $0.code != .brokenChain }
        .compactMap { RemotePath($0.path) })
    var holes = HistoryHoles(reader, damaged: damaged, verification)
    let nothing = RebuildPlanner.rest(of: reader, damaged: damaged)
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
      throw InspectionError(ofThisDevice: error) ?? .noState(Self.words(error))
    }
  }

  private static func requireNothingElsewhere(
    of reader: DocumentReader, in tree: RemoteNode, _ verification: Verification
  ) throws(InspectionError) {
    let nodes = Dictionary(tree.all.compactMap { node in node.path.map { ($0, node) } }) { first, _ in first }
    let root = reader.hierarchy.root.names
    let places = verification.renamedPlaces(nodes).filter { place in
      place.names.starts(with: root) || root.starts(with: place.names)
    }
    guard places.isEmpty else {
      throw .partsElsewhere(
        document: reader.hierarchy.document.description, places.map(\.description).sorted())
    }
  }
}
