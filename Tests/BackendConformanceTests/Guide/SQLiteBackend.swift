import Foundation
import TICDSSQLite
import SyncProtocol

/// A remote in one SQLite file. An actor, so that a client does one thing at a time.
actor SQLiteBackend: SyncBackend {
  nonisolated let capabilities: BackendCapabilities = [.atomicReplace, .honestCreateIfAbsent, .move]
  private static let pieceSize = 1 << 20
  private static let root: Int64 = 0
  private let file: String
  private var opened: Connection?

  init(file: String) { self.file = file }

  /// Makes an empty remote. It is never made by the way: a file that is not there must not be taken for an empty remote.
  static func create(at file: String) throws {
    // An entry knows its folder by number, so a name is compared with `=` and nothing ever searches for parts of paths.
    try Connection(path: file).execute(
      script: """
        PRAGMA journal_mode = WAL;
        CREATE TABLE entry (id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL,
          content INTEGER, size INTEGER, UNIQUE (folder, name));
        CREATE TABLE piece (content INTEGER, number INTEGER, bytes BLOB, PRIMARY KEY (content, number)) WITHOUT ROWID;
        CREATE TABLE upload (content INTEGER PRIMARY KEY, begun INTEGER);
        """)
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try page(of: folder, after: "", limit: -1).listing
  }

  func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try self.page(of: folder, after: page?.description ?? "", limit: 1_000)
  }

  /// The token of a page is the last name of the one before. A number would skip entries when others are removed.
  private func page(
    of folder: RemotePath, after last: String, limit: Int64
  ) throws(BackendError) -> ListingPage {
    try request(folder, .deferred) { database in
      let id = try self.folder(folder, database)
      let rows = try database.prepare(
        "SELECT name, content IS NULL, size FROM entry WHERE folder = ? AND name > ? ORDER BY name LIMIT ?")
      try rows.bind([.integer(id), .text(last), .integer(limit)])
      var page = ListingPage(RemoteListing())
      var (count, end) = (Int64(0), "")
      while try rows.step() {
        (count, end) = (count + 1, rows.text(0))
        if let name = RemoteName(end) {
          let kind: RemoteEntry.Kind = rows.int64(1) == 1 ? .folder : .file
          page.listing.entries.append(RemoteEntry(name: name, kind: kind, size: rows.optionalInt64(2)))
        } else {
          page.listing.foreign.append(end)
        }
      }
      if count == limit { page.next = ListingPage.Token(end) }
      return page
    }
  }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try request(path, .deferred) { database in
      guard let name = path.name else { throw BackendError(.isADirectory, path: path) }
      guard let entry = try self.entry(path, database) else { throw BackendError(.notFound, path: path) }
      return RemoteEntry(name: name, kind: entry.content == nil ? .folder : .file, size: entry.size)
    }
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try request(path, .deferred) { database in
      var bytes: [UInt8] = []
      try self.read(path, limit: Int64(limit), database) { bytes += $0 }
      return bytes
    }
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    let temporary = "\(localPath).\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    // One transaction: what others replace meanwhile does not concern it.
    try request(path, .deferred) { database in
      var target: FileHandle?
      var count: Int64 = 0
      try self.read(path, limit: .max, database) { piece in
        try self.locally(path) {
          if target == nil { try Data().write(to: URL(fileURLWithPath: temporary)) }
          target = try target ?? FileHandle(forWritingTo: URL(fileURLWithPath: temporary))
          try target?.write(contentsOf: piece)
        }
        count += Int64(piece.count)
        progress(count)
        if Task.isCancelled { throw BackendError(.cancelled, path: path) }
      }
      guard rename(temporary, localPath) == 0 else { throw BackendError(.localFile, path: path) }
    }
  }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try write(path, replacing: true, pieces(of: bytes)) { _ in }
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try write(path, replacing: true, pieces(ofFile: localPath, path), progress)
  }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try write(path, replacing: false, pieces(of: bytes)) { _ in }
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try write(path, replacing: false, pieces(ofFile: localPath, path), progress)
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try request(path) { database in
      var made = RemotePath.root
      for name in path.names {
        let folder = try self.folder(made, database)
        made = made.appending(name)
        try database.run(
          "INSERT OR IGNORE INTO entry (folder, name) VALUES (?, ?)", .integer(folder),
          .text(name.description))
      }
      _ = try self.folder(path, database)
    }
  }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try request(source) { database in
      guard source != .root, let parent = destination.parent, let name = destination.name else {
        throw BackendError(.isADirectory, path: .root)
      }
      guard let entry = try self.entry(source, database) else { throw BackendError(.notFound, path: source) }
      let folder = try self.folder(parent, database)
      guard try self.entry(destination, database) == nil else {
        throw BackendError(.alreadyExists, path: destination)
      }
      guard !destination.names.starts(with: source.names) else {
        throw BackendError(.unsupported, path: source, detail: "a folder cannot go into itself")
      }
      try database.run(
        "UPDATE entry SET folder = ?, name = ? WHERE id = ?", .integer(folder), .text(name.description),
        .integer(entry.id))
    }
  }

  func remove(_ path: RemotePath) async throws(BackendError) {
    try request(path) { database in
      guard path != .root else { throw BackendError(.isADirectory, path: path) }
      guard let entry = try self.entry(path, database) else { throw BackendError(.notFound, path: path) }
      let below = """
        WITH RECURSIVE below (id, content) AS (SELECT id, content FROM entry WHERE id = ?
          UNION ALL SELECT entry.id, entry.content FROM entry JOIN below ON entry.folder = below.id)
        """
      try database.run(
        "\(below) DELETE FROM piece WHERE content IN (SELECT content FROM below)", .integer(entry.id))
      try database.run("\(below) DELETE FROM entry WHERE id IN (SELECT id FROM below)", .integer(entry.id))
    }
  }

  // MARK: - One request

  /// Runs one request in a transaction, and says what its failure means.
  private func request<Result>(
    _ path: RemotePath, _ kind: Connection.TransactionKind = .immediate,
    _ body: (Connection) throws -> Result
  ) throws(BackendError) -> Result {
    if Task.isCancelled { throw BackendError(.cancelled, path: path) }
    do {
      // A connection goes on with a file that has gone.
      guard FileManager.default.fileExists(atPath: file) else {
        opened = nil
        throw BackendError(.unreachable, path: path, detail: "\(file) is not there")
      }
      let database = try opened ?? Connection(path: file, options: .init(access: .readWrite))
      opened = database
      return try database.transaction(kind) { try body(database) }
    } catch let error as BackendError {
      throw error
    } catch let error as SQLiteError {
      let code: BackendError.Code =
        switch error.code {
        case .cannotOpen: .unreachable
        case .busy, .locked: .locked
        case .full: .quotaExceeded
        case .readOnly: .forbidden
        case .corrupt, .notADatabase: .damaged
        default: .failed
        }
      throw BackendError(code, path: path, detail: error.message)
    } catch {
      throw BackendError(.failed, path: path, detail: "\(error)")
    }
  }

  private struct Entry {
    var id: Int64
    /// `nil` for a folder.
    var content: Int64?
    var size: Int64?
  }

  /// Finds an entry by walking down from the root.
  private func entry(_ path: RemotePath, _ database: Connection) throws -> Entry? {
    var entry = Entry(id: Self.root)
    for name in path.names {
      guard entry.content == nil else { throw BackendError(.notADirectory, path: path) }
      let row = try database.cached("SELECT id, content, size FROM entry WHERE folder = ? AND name = ?")
      try row.bind([.integer(entry.id), .text(name.description)])
      defer { row.reset() }
      guard try row.step() else { return nil }
      entry = Entry(id: row.int64(0), content: row.optionalInt64(1), size: row.optionalInt64(2))
    }
    return entry
  }

  private func folder(_ path: RemotePath, _ database: Connection) throws -> Int64 {
    guard let entry = try entry(path, database) else { throw BackendError(.notFound, path: path) }
    guard entry.content == nil else { throw BackendError(.notADirectory, path: path) }
    return entry.id
  }

  // MARK: - Content

  private func read(
    _ path: RemotePath, limit: Int64, _ database: Connection, _ take: ([UInt8]) throws -> Void
  ) throws {
    guard let entry = try entry(path, database) else { throw BackendError(.notFound, path: path) }
    guard let content = entry.content else { throw BackendError(.isADirectory, path: path) }
    guard entry.size ?? 0 <= limit else { throw BackendError(.tooLarge, path: path) }
    let rows = try database.prepare("SELECT bytes FROM piece WHERE content = ? ORDER BY number")
    try rows.bind(content, at: 1)
    while try rows.step() { try take(rows.blob(0)) }
  }

  /// Stores the pieces where nobody looks, each in a transaction of its own so that others can write meanwhile, and then
  /// gives the whole its name.
  private func write(
    _ path: RemotePath, replacing: Bool, _ next: () throws(BackendError) -> [UInt8]?,
    _ progress: TransferProgress
  ) throws(BackendError) {
    let content = Int64.random(in: 1 ... .max)
    var size: Int64 = 0
    do {
      try request(path) { database in
        _ = try self.folder(path.parent ?? path, database)
        let abandoned = "SELECT content FROM upload WHERE begun < unixepoch() - 86400"
        try database.run("DELETE FROM piece WHERE content IN (\(abandoned))")
        try database.run("DELETE FROM upload WHERE content IN (\(abandoned))")
        try database.run("INSERT INTO upload VALUES (?, unixepoch())", .integer(content))
      }
      var number: Int64 = 0
      while let piece = try next() {
        try request(path) { database in
          try database.run(
            "INSERT INTO piece VALUES (?, ?, ?)", .integer(content), .integer(number), .blob(piece))
        }
        number += 1
        size += Int64(piece.count)
        progress(size)
      }
      try request(path) { try self.publish(content, size, path, replacing: replacing, $0) }
    } catch {
      // Outside `request`, for the task may be cancelled.
      try? opened?.run("DELETE FROM piece WHERE content = ?", .integer(content))
      try? opened?.run("DELETE FROM upload WHERE content = ?", .integer(content))
      throw error
    }
  }

  private func publish(
    _ content: Int64, _ size: Int64, _ path: RemotePath, replacing: Bool, _ database: Connection
  ) throws {
    guard let parent = path.parent, let name = path.name else {
      throw BackendError(.isADirectory, path: path)
    }
    let folder = try folder(parent, database)
    if let existing = try entry(path, database) {
      guard replacing else { throw BackendError(.alreadyExists, path: path) }
      guard let old = existing.content else { throw BackendError(.isADirectory, path: path) }
      try database.run("DELETE FROM piece WHERE content = ?", .integer(old))
      try database.run("DELETE FROM entry WHERE id = ?", .integer(existing.id))
    }
    try database.run(
      "INSERT INTO entry (folder, name, content, size) VALUES (?, ?, ?, ?)", .integer(folder),
      .text(name.description), .integer(content), .integer(size))
    try database.run("DELETE FROM upload WHERE content = ?", .integer(content))
  }

  // MARK: - Where pieces come from

  /// At least one piece, so that an empty file has one too.
  private func pieces(of bytes: [UInt8]) -> () throws(BackendError) -> [UInt8]? {
    var rest: ArraySlice<UInt8>? = bytes[...]
    return {
      guard let piece = rest?.prefix(Self.pieceSize) else { return nil }
      rest = rest?.dropFirst(piece.count)
      if rest?.isEmpty ?? true { rest = nil }
      return Array(piece)
    }
  }

  private func pieces(
    ofFile localPath: String, _ path: RemotePath
  ) throws(BackendError) -> () throws(BackendError) -> [UInt8]? {
    let source = try locally(path) { try FileHandle(forReadingFrom: URL(fileURLWithPath: localPath)) }
    var isFirst = true
    return { () throws(BackendError) in
      let piece = try self.locally(path) { try source.read(upToCount: Self.pieceSize) ?? Data() }
      defer { isFirst = false }
      return piece.isEmpty && !isFirst ? nil : Array(piece)
    }
  }

  private nonisolated func locally<Result>(
    _ path: RemotePath, _ body: () throws -> Result
  ) throws(BackendError) -> Result {
    do { return try body() } catch { throw BackendError(.localFile, path: path, detail: "\(error)") }
  }
}
