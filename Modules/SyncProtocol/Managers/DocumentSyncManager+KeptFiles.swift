import ChangeTracking
import Crypto

/// Small files that belong to everybody: each device keeps copies, and puts back what storage has lost.
extension DocumentSyncManager {
  /// What lies in the place of a file that is kept.
  private enum Place {
    case intact, empty
    /// Something else than the file: damaged, emptied, a link.
    case taken
    /// The storage does not let this device read it: nothing tells what lies there.
    case refused
  }

  /// Looks once a day whether what newcomers need is still there, for those who have joined read none of it any more. One request for
  /// each file: a key file, two founding records and the description of the document, as a rule.
  func lookAfterFiles(_ protection: DocumentProtection, _ report: inout SyncReport) async throws {
    let now = configuration.now()
    // Nothing is put back of what somebody deletes meanwhile.
    do {
      try await requireDocument(protection, isAskingDue: true)
    } catch let error as BackendError where error.isObstruction {
      try await noteObstruction(error, &report)
      try pins.setUpkeep(at: now)
      return
    }
    var paths: [String] = []
    if let keys = protection.keys, let folder = try await keyFolder(&report) {
      paths = try await followWithdrawals(folder, keys, &report)
      try await keepNewKeyFiles(folder, keys)
      try keepWrappedKeys(keys)
      try await notePasswords(folder, keys, &report)
    }
    paths += try await restore(pins.keptFiles().filter { isNeededToJoin($0.path) }, &report)
    // The name is what counts, and of who has joined by it alone perhaps nobody is left who knows what the record says.
    if let (name, bytes) = try pins.namedFounding, bytes.isEmpty,
      try await putBack((hierarchy.file(of: name), []), &report)
    {
      paths.append(hierarchy.file(of: name).description)
    }
    if try await restoreDescription(protection, &report) { paths.append(hierarchy.information.description) }
    try await publishKeys(protection.keys, &report)
    if !paths.isEmpty { report.findings.append(.putBack(paths: paths)) }
    try pins.setUpkeep(at: now)
  }

  /// Keeps copies of what was just written of passwords and keys, so that this device puts it back if storage loses it.
  ///
  /// A device looks after such files once a day. Call it after ``ApplicationSyncManager/changePassword(from:to:)`` and the like, or a
  /// remote that goes back to an earlier state on the same day takes the change back. What ``application`` has written since is kept whatever storage
  /// lists, and though it fails now; what others have written is looked for.
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `keyMissing`, `storage`, `store` or `cancelled`.
  public func keepPasswordFiles() async throws(SyncError) {
    try await exclusively {
      try requireRegistration()
      var report = SyncReport()
      let protection = try await protection()
      if let keys = protection.keys { try await keepWritten(keys) }
      try await lookAfterFiles(protection, &report)
    }
  }

  /// What lies in the place of keys, with the withdrawals that this device has seen; `nil` if something lies in the way.
  func keyFolder(_ report: inout SyncReport) async throws -> KeyFolder? {
    var folder: KeyFolder?
    try await tolerating(&report) {
      folder = KeyFolder(
        try await backend.listIfPresent(application.hierarchy.encryption) ?? RemoteListing())
    }
    folder?.add(known: try pins.withdrawals)
    return folder
  }

  /// Puts back those of some kept files that are not as they were.
  ///
  /// - Returns: the paths of what was written.
  func restore(
    _ files: [(path: RemotePath, bytes: [UInt8])], _ report: inout SyncReport
  ) async throws -> [String] {
    var paths: [String] = []
    var taken: [(path: RemotePath, bytes: [UInt8])] = []
    var refused: [String] = []
    var intactSlots: Set<KeyFile.Slot.Identifier> = []
    for file in files {
      switch try await place(of: file) {
      case .intact: intactSlots.formUnion(slots(of: file))
      case .empty:
        guard try await putBack(file, &report) else { continue }
        paths.append(file.path.description)
        intactSlots.formUnion(slots(of: file))
      case .taken: taken.append(file)
      case .refused:
        // A copy beside it could not be read either, and another one would be written each day.
        refused.append(file.path.description)
        intactSlots.formUnion(slots(of: file))
      }
    }
    if !refused.isEmpty { report.findings.append(.keptBack(paths: refused.sorted())) }
    for file in taken {
      guard let key = file.path.name.flatMap({ KeyFileName($0) })?.key else {
        // The name tells the content, so whatever else lies there is wrong.
        if try await tolerating(&report, { try await backend.upload(file.bytes, to: file.path) }) {
          paths.append(file.path.description)
        }
        continue
      }
      // What lies under the name of a key file may be a later version of it, so the copy gets a name of its own. It says nothing
      // where all that opens it opens another version.
      let slots = slots(of: file)
      guard !slots.isSubset(of: intactSlots) else { continue }
      intactSlots.formUnion(slots)
      var random = configuration.random()
      let path = application.hierarchy.encryption / KeyFileName(key, using: &random).name
      if try await putBack((path, file.bytes), &report) {
        try pins.keep(path, file.bytes)
        paths.append(path.description)
      }
    }
    return paths
  }

  /// What opens a key file; nothing if the file is none.
  private func slots(of file: (path: RemotePath, bytes: [UInt8])) -> Set<KeyFile.Slot.Identifier> {
    guard file.path.name.flatMap({ KeyFileName($0) }) != nil else { return [] }
    return Set((try? KeyFile(parsing: file.bytes))?.slots.map(\.identifier) ?? [])
  }

  private func isNeededToJoin(_ path: RemotePath) -> Bool {
    let hierarchy = application.hierarchy
    return [hierarchy.encryption, hierarchy.founding, self.hierarchy.integrityKey].contains(path.parent)
  }

  private func place(of file: (path: RemotePath, bytes: [UInt8])) async throws(BackendError) -> Place {
    do throws(BackendError) {
      let found = try await backend.download(file.path, limit: file.bytes.count)
      return found == file.bytes ? .intact : .taken
    } catch {
      guard error.isAboutOneFile else { throw error }
      if error.code == .notFound { return .empty }
      guard error.code == .forbidden, let folder = file.path.parent else { return .taken }
      // A link or a pipe is forbidden as well, and is listed as no file.
      guard let listing = try? await backend.list(folder) else { return .refused }
      let isFile = listing.entries.contains { $0.kind == .file && $0.name == file.path.name }
      return isFile ? .refused : .taken
    }
  }

  /// Writes each key of the ring under each other one, where that is missing or damaged.
  ///
  /// Keys that came in the place of one of the ring, and are not at hand any more, lead to it by what is kept: without that nobody could tell
  /// whose files those of the later key are, and which password to ask for.
  func publishKeys(_ keys: KeyRing?, _ report: inout SyncReport) async throws {
    guard let keys else { return }
    let kept = try pins.wrappedKeys.filter { keys[$0.name.key] != nil && keys[$0.name.wrapping] == nil }
    guard keys.all.count > 1 || !kept.isEmpty else { return }
    let hierarchy = application.hierarchy
    let exchange = KeyExchange(
      backend: backend, hierarchy: hierarchy, secrets: configuration.secrets)
    var obstructions: [BackendError] = []
    try await tolerating(&report) {
      let folder = KeyFolder(try await backend.listIfPresent(hierarchy.encryption) ?? RemoteListing())
      if keys.all.count > 1 { obstructions = try await exchange.publish(keys, present: folder.wrapped) }
      for file in kept where !folder.wrapped.contains(file.name) {
        _ = try await backend.createUnlessPresent(file.bytes, at: hierarchy.encryption / file.name.name)
      }
    }
    for obstruction in obstructions { try await noteObstruction(obstruction, &report) }
  }

  /// Writes a file unless something lies there, with the folder that it lies in.
  ///
  /// - Returns: whether it was written.
  func putBack(
    _ file: (path: RemotePath, bytes: [UInt8]), _ report: inout SyncReport
  ) async throws -> Bool {
    var isWritten = false
    try await tolerating(&report) {
      do throws(BackendError) {
        isWritten = try await backend.createUnlessPresent(file.bytes, at: file.path)
      } catch {
        guard error.code == .notFound, let parent = file.path.parent else { throw error }
        try await backend.makeFolder(parent)
        isWritten = try await backend.createUnlessPresent(file.bytes, at: file.path)
      }
    }
    return isWritten
  }

  /// Does something about one file, which may fail: whatever lies in its place stops nothing else.
  ///
  /// - Returns: whether it succeeded.
  @discardableResult
  func tolerating(_ report: inout SyncReport, _ body: () async throws -> Void) async throws -> Bool {
    do {
      try await body()
      return true
    } catch let error as BackendError where error.isAboutOneFile {
      if error.isObstruction { try await noteObstruction(error, &report) }
      return false
    }
  }

  /// Puts back what this device keeps copies of: folders, descriptions, keys. Never replaces anything.
  func putBackFiles(_ report: inout SyncReport) async throws {
    var paths: [String] = []
    if !backend.capabilities.contains(.implicitFolders) {
      for folder in hierarchy.application.folders + hierarchy.folders {
        try await tolerating(&report) {
          guard try await !backend.exists(folder) else { return }
          try await backend.makeFolder(folder)
          paths.append(folder.description)
        }
      }
    }
    if let keys = try await ring(), let folder = try await keyFolder(&report) {
      paths += try await followWithdrawals(folder, keys, &report)
    }
    for file in try pins.keptFiles() where try await putBack(file, &report) {
      paths.append(file.path.description)
    }
    try await publishKeys(try await ring(), &report)
    if !paths.isEmpty { report.findings.append(.putBack(paths: paths)) }
  }

  /// What is known already of the files to be kept, so that it is not asked for again.
  struct KnownFiles {
    var view: DocumentFounding.View?
    var application: ApplicationFiles?
    /// The bytes of files, as far as they are known.
    var contents: [RemotePath: [UInt8]] = [:]
  }

  /// Keeps copies of the files that registration has found or made, of those that are genuine as far as the keys at hand tell.
  func keepFiles(_ founding: DocumentFounding, _ known: KnownFiles = KnownFiles()) async throws {
    let application = hierarchy.application
    let contents = (known.application?.contents ?? [:]).merging(known.contents) { $1 }
    if let keys = founding.keys { try keepWrappedKeys(keys) }
    try pins.keep(application.readMe, Array(ApplicationHierarchy.readMeText.utf8))
    for path in [hierarchy.information, application.deviceInformation(of: configuration.client)] {
      try await keep(path, contents[path]) { _ in true }
    }
    let view = if let view = known.view { view } else { try await founding.view() }
    try pins.add(deleted: view.look.deleted)
    for record in view.records where !record.bytes.isEmpty {
      try pins.keep(hierarchy.file(of: record.name), record.bytes)
    }
    for acceptance in view.look.acceptances.sorted().prefix(DocumentFounding.limit) {
      // The name is all that it says.
      try pins.keep(hierarchy.file(of: acceptance), Array(acceptance.name.description.utf8))
    }
    let names =
      if let files = known.application { files.foundings } else {
        try await (backend.listIfPresent(application.founding)?.names ?? []).compactMap { FoundingName($0) }
      }
    let genuine = names.filter { application.isGenuine($0, founding.names) }
    for name in genuine.sorted().prefix(DocumentFounding.limit) {
      let path = application.file(of: name)
      try await keep(path, contents[path]) { bytes in
        try FoundingRecord(bytes, keys: founding.keys).integrityKey == name.integrityKey
      }
    }
    let folder =
      if let files = known.application { files.keys } else {
        KeyFolder(try await backend.listIfPresent(application.encryption) ?? RemoteListing())
      }
    guard let keys = founding.keys else { return }
    try pins.add(folder.withdrawals(founding.names, application))
    try await keepKeyFiles(folder.keyFiles, keys, contents)
  }

  /// - Parameters:
  ///   - path: where the file lies.
  ///   - known: its bytes, if they need not be asked for.
  ///   - isGenuine: whether bytes are those of the file.
  @discardableResult
  func keep(
    _ path: RemotePath, _ known: [UInt8]? = nil, _ isGenuine: ([UInt8]) throws -> Bool
  ) async throws -> Bool {
    let bytes: [UInt8]
    do {
      bytes =
        if let known { known } else {
          try await backend.download(path, limit: InformationFile.sizeLimit)
        }
    } catch  where error.isAboutOneFile {
      return false
    }
    guard (try? isGenuine(bytes)) == true else { return false }
    try pins.keep(path, bytes)
    return true
  }
}
