import Foundation
import TICDSHTTP
import SyncProtocol

extension WebDAVBackend {
  /// Tests what the server does, in a folder of its own that is removed afterwards. Some thirty small requests and two of three
  /// quarters of a megabyte.
  ///
  /// What is found may be remembered (``ServerReport`` can be coded) and given to ``init(_:credentials:configuration:traits:)``.
  ///
  /// A file of a few bytes that does not come within 15 seconds ends the test, and so does a test that takes five minutes.
  ///
  /// - Throws: `BackendError` if the server cannot be reached, the folder not be written, or an answer is not had in time.
  public func probe() async throws(BackendError) -> ServerReport {
    try await probe(ProbePatience())
  }

  func probe(_ patience: ProbePatience) async throws(BackendError) -> ServerReport {
    var probe = ServerProbe(session, patience)
    // Where nobody answers there is nothing to clean up, either.
    try await probe.findRoot()
    do throws(BackendError) {
      let begun = probe
      probe = try await patience.all("the test", at: .root) { () async throws(BackendError) in
        var probe = begun
        try await probe.run()
        return probe
      }
    } catch {
      await probe.cleanUp()
      throw error
    }
    await probe.cleanUp()
    await probe.removeAbandoned()
    return probe.report
  }

  /// The same connections, with knowledge of the server.
  public func knowing(_ traits: ServerTraits) -> WebDAVBackend { WebDAVBackend(session, traits: traits) }
}

/// Finds out, law by law, what a server does.
struct ServerProbe: Sendable {
  let session: WebDAVSession
  let patience: ProbePatience
  let folder: RemotePath
  private(set) var report = ServerReport(
    server: "", date: Int64(Date().timeIntervalSince1970), laws: [], traits: .unknown)

  init(_ session: WebDAVSession, _ patience: ProbePatience) {
    self.session = session
    self.patience = patience
    folder = RemotePath([Self.name(TestFolderName.make())])
  }

  mutating func run() async throws(BackendError) {
    try await makeFolder()
    try await law(
      "honoursConditions", "PUT with If-None-Match: * is refused if the name is taken",
      "a small file is created with one request", "a file is created with PUT and MOVE", \.honoursConditions
    ) { probe throws(BackendError) in try await probe.honoursConditions() }
    try await law(
      "needsFolders", "PUT into a folder that does not exist is refused",
      "no folder is looked for before a file is written",
      "the folder is looked for before each file is written", \.needsFolders
    ) { probe throws(BackendError) in try await probe.needsFolders() }
    try await law(
      "keepsFolders", "PUT is refused where a folder lies", "nothing",
      "a file that replaces is looked for before", \.keepsFolders
    ) { probe throws(BackendError) in try await probe.keepsFolders() }
    try await law(
      "moves", "MOVE renames", "files can be moved", "nothing is moved; files are written under their names",
      \.moves
    ) { probe throws(BackendError) in try await probe.moves() }
    try await law(
      "refusesToOverwrite", "MOVE with Overwrite: F is refused if the name is taken",
      "a name that is taken is noticed when the file gets it", "a name is looked for before a file gets it",
      \.refusesToOverwrite
    ) { probe throws(BackendError) in try await probe.refusesToOverwrite() }
    try await law(
      "tellsVersions", "ETags are strong, listed, and differ whenever contents do", "listings tell versions",
      "listings tell no versions", \.tellsVersions
    ) { probe throws(BackendError) in try await probe.tellsVersions() }
    try await law(
      "writesAtomically", "a file that is being written by PUT is not seen before it is complete",
      "files are written under their names", "files are written under temporary names and then moved",
      \.writesAtomically
    ) { probe throws(BackendError) in try await probe.writesAtomically() }
    try await law(
      "continues", "GET of a part sends that part", "a download that broke off goes on where it did",
      "a download that broke off begins anew", nil
    ) { probe throws(BackendError) in try await probe.continues() }
    try await law(
      "saysAbsent", "DELETE of what is not there is refused with 404", "nothing",
      "the server may hide what went wrong", nil
    ) { probe throws(BackendError) in try await probe.saysAbsent() }
  }

  /// Looks whether there is a folder to test in, and who serves it.
  mutating func findRoot() async throws(BackendError) {
    do throws(Failure) {
      _ = try await session.find(Target(.root), depth: 0, versions: false)
    } catch {
      // Nobody asks again where there was no answer.
      guard DAVReply.ambiguousCodes.contains(error.code) else { throw error.error(at: .root) }
      throw await session.reason(of: error, at: .root)
    }
    report.server = await session.serverName()
  }

  /// What is to be done about a folder that cannot be made for a reason other than that nobody may write.
  private static let clearRemedies: Set<Remedy> = [.followRedirection, .askServer, .trustServer, .encrypt]

  /// Makes the folder, which also tells whether it could be made twice.
  private mutating func makeFolder() async throws(BackendError) {
    do throws(BackendError) {
      try await session.run(MakeFolderOperation(folder, traits: .unknown))
    } catch {
      let isClear = Remedy(rawValue: error.recovery).map(Self.clearRemedies.contains) ?? false
      guard [.forbidden, .unsupported, .failed].contains(error.code), !isClear else { throw error }
      throw Failure(.forbidden, error.detail, .allowWriting).error(at: .root)
    }
    let folder = folder
    try await law(
      "makesFoldersOnce", "MKCOL is refused if the name is taken", "a folder is made with one request",
      "a folder is looked for after it was made", \.makesFoldersOnce
    ) { probe throws(BackendError) in await probe.session.perform(.makeFolder(folder)) == .status(405) }
  }

  func cleanUp() async {
    let (session, folder) = (session, folder)
    // Also if the task was cancelled.
    await Task { try? await session.run(RemoveOperation(folder)) }.value
  }

  private mutating func law(
    _ name: String, _ sentence: String, _ kept: String, _ broken: String,
    _ trait: WritableKeyPath<ServerTraits, Bool>?,
    _ check: (ServerProbe) async throws(BackendError) -> Bool
  ) async throws(BackendError) {
    let start = ContinuousClock.now
    let isKept = try await check(self)
    let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
    if let trait { report.traits[keyPath: trait] = isKept }
    report.laws.append(
      ServerReport.Law(
        name: name, sentence: sentence, isKept: isKept, milliseconds: milliseconds,
        consequence: isKept ? kept : broken))
  }

  // MARK: - What the laws use

  /// Names of the test are constants, and hexadecimal digits behind one: they keep to the grammar.
  static func name(_ text: String) -> RemoteName {
    guard let name = RemoteName(text) else { preconditionFailure("\(text) is a constant of this folder") }
    return name
  }

  func path(_ name: String) -> RemotePath { folder.appending(Self.name(name)) }

  func put(_ text: String, _ name: String, ifAbsent: Bool = false) async -> DAVReply {
    await session.perform(.put(Target(path(name)), ifAbsent: ifAbsent), body: .bytes(Array(text.utf8)))
  }

  /// Writes a file that is needed for a law.
  func write(_ text: String, _ name: String) async throws(BackendError) {
    if let failure = await put(text, name).failure { throw failure.error(at: path(name)) }
  }

  /// Bytes of an answer to a test that are read: the files of the test have a few.
  private static let contentLimit = 1 << 10

  /// What a file of the test holds; `nil` if the server says that it cannot be had.
  ///
  /// - Throws: `BackendError` if it does not come in time: no other file would.
  func content(_ name: String) async throws(BackendError) -> String? {
    let (session, path) = (session, path(name))
    return try await patience.reading("a file of a few bytes", at: path) { () async throws(BackendError) in
      do throws(BackendError) {
        let backend = WebDAVBackend(session, traits: .unknown)
        return String(decoding: try await backend.download(path, limit: Self.contentLimit), as: UTF8.self)
      } catch {
        if error.timedOut || error.code == .cancelled { throw error }
        return nil
      }
    }
  }
}
