import ChangeTracking
import ObjectStore
import SyncProtocol

extension RemoteInspector {
  /// Copies that cannot be read and are told of, at most.
  private static let unreadLimit = 16

  /// Decides what can be done about what is wrong, and changes nothing.
  ///
  /// - Parameters:
  ///   - other: another copy of the remote, from which lost files are taken.
  ///   - kept: what the store of a device keeps, which is put back too.
  ///   - model: the application's model, with which a whole store is made of the sets where none opens any more.
  ///   - remote: how the remote is named in the commands that findings suggest.
  /// - Throws: ``InspectionError`` if one of them cannot be read.
  public func planRepair(
    from other: RemoteInspector? = nil, keeping kept: KeptFiles? = nil, model: ManagedObjectModel? = nil,
    named remote: String = "REMOTE"
  ) async throws(InspectionError) -> RepairPlan {
    do throws(InspectionError) {
      return try await judgedPlan(from: other, keeping: kept, model: model, named: remote)
    } catch {
      guard error.isAboutPassword, let other else { throw error }
      let opened = try? await opened(withKeysOf: other)
      if Task.isCancelled { throw .cancelled }
      guard let opened else { throw error }
      var plan = try await opened.judgedPlan(from: other, keeping: kept, model: model, named: remote)
      plan.notes.append(
        "The password does not open the remote, which has other files of keys; it was opened with the keys of the copy."
      )
      return plan
    }
  }

  private func judgedPlan(
    from other: RemoteInspector?, keeping kept: KeptFiles?, model: ManagedObjectModel?, named remote: String
  ) async throws(InspectionError) -> RepairPlan {
    try await judging { inspector, keys throws(InspectionError) in
      try await inspector.plan(from: other, keeping: kept, model: model, named: remote, keys)
    }
  }

  /// Makes a plan that tells what the files held by which it was made, with keys that are made sure of.
  func judging(
    _ make: (RemoteInspector, SteadyKeyReadings) async throws(InspectionError) -> RepairPlan
  ) async throws(InspectionError) -> RepairPlan {
    var (plan, readings) = try await withSteadyKeys(listings: true) {
      inspector, keys throws(InspectionError) in
      let readings = JudgedReadings(inspector.backend)
      return (try await make(RemoteInspector(inspector, reading: readings), keys), readings)
    }
    plan.readings = readings.below(
      Set(
        plan.actions.compactMap { action in
          switch action.change {
          case .putAside: action.path
          case .write(.copy(let source)): source
          default: nil
          }
        }))
    return plan
  }

  private func plan(
    from other: RemoteInspector?, keeping kept: KeptFiles?, model: ManagedObjectModel?, named remote: String,
    _ keys: SteadyKeyReadings
  ) async throws(InspectionError) -> RepairPlan {
    let (tree, all) = try await treeWithApplications(orNoneIf: other != nil)
    var verification = Verification()
    if !all.isEmpty {
      verification = try await verify(tree, all, named: remote, depth: .data)
    }
    let heldUp = all.compactMap { application in
      keys.failure(holdingUp: application).map { (application.hierarchy.root, $0) }
    }
    for (root, failure) in heldUp { verification.holdUp(root, failure) }
    let unexamined = verification.unexamined
    let applications = all.filter { !unexamined.contains($0.hierarchy.root) }
    let copies = verification.conflictCopies(tree)
    let read = try await ConflictCopies(self, applications).whole(copies)
    verification.whole.formUnion(read.whole)
    var source: OtherRemote?
    var notes: [String] = []
    let unread = read.unread.sorted { $0.key < $1.key }.prefix(Self.unreadLimit).map { copy, reason in
      "left: “\(copy)” may be what belongs under the name of which it is a copy, and could not be read: \(reason). Give it that name yourself, or repair the remote where it is a folder."
    }
    if let other {
      do throws(InspectionError) {
        (source, notes) = try await Self.copy(other, applications)
      } catch {
        if case .cancelled = error { throw error }
        throw .copy(error)
      }
    }
    var passwords: [RemotePath] = []
    if let source, let other {
      passwords = await PasswordsOfCopy(applications, source, other.backend).files
    }
    let misnamedSets = try await MisnamedSets(applications, verification).places(verification.findings)
    let straySets = try await StraySets(applications).places()
    let roots = source?.joinable.map(\.root) ?? []
    let links = await links(verification, roots)
    // What broke off has found less than there is.
    if Task.isCancelled { throw .cancelled }
    var planner = RepairPlanner(
      tree, applications, verification, links: links, misnamedSets: misnamedSets,
      straySets: straySets, other: source, passwordsOfCopy: passwords, kept: kept,
      asker: AuthorID(bits: .random(in: 1 ... .max)))
    var plan = planner.make()
    plan.notes = notes + unread + plan.notes + planner.idleSources() + planner.heldUp()
    plan.heldUp = heldUp.map(\.1.path)
    plan.facts = Self.landmarks(of: applications)
    plan.keys = applications.map(PlannedKeys.init)
    try await addWholeStores(
      to: &plan, verification,
      applications.flatMap(\.documents).filter { document in
        !unexamined.contains(document.hierarchy.root)
          && !verification.doubted.contains(document.hierarchy.application.root)
          && document.application.unlisted.isListedDown(document.hierarchy.root)
      }, model: model)
    if Task.isCancelled { throw .cancelled }
    return plan
  }

  /// Looks at another copy. One of before the keys were replaced has other passwords, and the remote the keys of then.
  private static func copy(
    _ other: RemoteInspector, _ applications: [ApplicationReader]
  ) async throws(InspectionError) -> (OtherRemote, notes: [String]) {
    do throws(InspectionError) {
      return (try await OtherRemote(other), [])
    } catch {
      guard error.isAboutPassword, let ring = applications.compactMap(\.keys.ring).first else {
        throw error
      }
      let opened = try await OtherRemote(
        RemoteInspector(backend: other.backend, keys: ring, sizeLimit: other.sizeLimit))
      guard applications.contains(where: { !$0.foundingNames.isEmpty && opened.isSame($0) }) else {
        throw error
      }
      return (
        opened,
        [
          "The password does not open the copy, which has others; it was opened with the keys of the remote. Then repair again with the password of the copy: what it alone opens was not looked at."
        ]
      )
    }
  }

  /// Those of the places of files and folders in which links lie.
  ///
  /// - Parameter roots: where the folders of applications belong, as another copy tells.
  private func links(_ verification: Verification, _ roots: [RemotePath]) async -> Set<RemotePath> {
    guard let storage = backend.links else { return [] }
    var links: Set<RemotePath> = []
    let replaced = verification.findings.filter { [.fileReplaced, .folderReplaced].contains($0.code) }
    for path in replaced.compactMap({ RemotePath($0.path) }) + roots where !Task.isCancelled {
      if case .some(.some) = try? await storage.targetOfLink(at: path) { links.insert(path) }
    }
    return links
  }

  /// The applications, or none where another copy may have all that was there.
  func applications(
    in tree: RemoteNode, orNoneIf hasCopy: Bool
  ) async throws(InspectionError) -> [ApplicationReader] {
    do throws(InspectionError) {
      return try await applications(in: tree)
    } catch {
      switch error {
      case .nothingThere where hasCopy, .onlyLinks where hasCopy, .underOtherName where hasCopy: return []
      default: throw error
      }
    }
  }
}

extension RemotePath {
  /// Where a copy lies. Replicators put spaces, brackets and apostrophes into names, none of which a name of ours holds.
  init?(copy text: String) {
    self.init(text, .classic)
  }
}

extension Verification {
  /// Judges nothing in an application of whose keys one may be there and cannot be had: what it seals seems to be forged.
  fileprivate mutating func holdUp(_ root: RemotePath, _ failure: BackendError) {
    findings.removeAll { RemotePath($0.path, .classic)?.names.first == root.name }
    doubted.insert(root)
    findings.append(
      Finding(
        .unreadable, path: failure.path.description,
        message:
          "A key may be in this file that nothing else gives, and what that key seals seems to be forged without it: \(failure.description).",
        next: failure.recovery))
  }

  /// The copies that replicators have put beside files of ours, with the places of these.
  fileprivate func conflictCopies(_ tree: RemoteNode) -> [(copy: RemotePath, original: RemotePath)] {
    let paths = findings.filter { [.conflictCopy, .nameInOtherCase].contains($0.code) }.compactMap {
      RemotePath(copy: $0.path)
    }
    let wanted = Set(paths.compactMap(\.parent))
    guard !wanted.isEmpty else { return [] }
    let folders = Dictionary(
      tree.all.compactMap { node in node.path.flatMap { wanted.contains($0) ? ($0, node) : nil } }
    ) { first, _ in first }
    return paths.compactMap { path in
      guard let parent = path.parent, let folder = folders[parent], let name = path.name,
        let original = EntryChecks.original(name.description, in: folder)
      else { return nil }
      return (path, parent.appending(original))
    }
  }
}
