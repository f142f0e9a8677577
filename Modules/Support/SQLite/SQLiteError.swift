import CTICDSSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A failure reported by SQLite, with the statement and file it happened in.
///
/// Compare ``code`` with the static members of ``Code``; ``extendedCode`` keeps SQLite's finer reason
/// (<https://www.sqlite.org/rescode.html>). Bound values never appear in an error.
public struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// SQLite's primary result code.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number that SQLite documents.
    public let rawValue: Int32

    /// Wraps a primary result code.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Another connection holds the lock that this one needs.
    public static let busy = Code(rawValue: SQLITE_BUSY)
    /// A conflict within the same connection or a shared cache.
    public static let locked = Code(rawValue: SQLITE_LOCKED)
    /// The file, its folder or its file system does not permit writing.
    public static let readOnly = Code(rawValue: SQLITE_READONLY)
    /// The operation was interrupted, usually by cancellation.
    public static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
    /// The operating system reported a failure to read or write.
    public static let inputOutput = Code(rawValue: SQLITE_IOERR)
    /// The file is damaged.
    public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    /// The disk or a quota is full.
    public static let full = Code(rawValue: SQLITE_FULL)
    /// The system gave no memory.
    public static let noMemory = Code(rawValue: SQLITE_NOMEM)
    /// The file could not be opened.
    public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
    /// A uniqueness, foreign-key, check or not-null constraint refused the change.
    public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    /// The file is not an SQLite database, or is encrypted by another tool.
    public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
    /// A value exceeds a size limit of SQLite.
    public static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    /// The statement is wrong, or the schema is not what it expects.
    public static let generic = Code(rawValue: SQLITE_ERROR)
    /// The library was used in a way it does not permit.
    public static let misuse = Code(rawValue: SQLITE_MISUSE)
  }

  /// The primary result code; or ``Code/full`` or ``Code/readOnly`` where SQLite speaks of a failure to read or write, and the system of a
  /// disk without room or a lack of permission.
  public let code: Code
  /// The extended result code, for example `SQLITE_IOERR_WRITE`.
  public let extendedCode: Int32
  /// The system's number (`errno`) for what it refused; 0 where SQLite does not know of one.
  public let systemError: Int32
  /// SQLite's own words, followed by those of the system where it refused something.
  public let message: String
  /// The statement, if the failure belongs to one. Values are bound, so none are in it.
  public let sql: String?
  /// The database file.
  public private(set) var path: String

  /// Describes a failure.
  ///
  /// - Parameters:
  ///   - extendedCode: SQLite's extended result code.
  ///   - systemError: the system's number, if it is known; it counts only where the code speaks of reading, writing or opening.
  ///   - message: what SQLite says.
  ///   - sql: the statement that failed, if it was one.
  ///   - path: the database file.
  public init(extendedCode: Int32, systemError: Int32 = 0, message: String, sql: String?, path: String) {
    let number = Self.isAboutSystem(extendedCode) ? systemError : 0
    self.code = Self.code(extendedCode, number)
    self.extendedCode = extendedCode
    self.systemError = number
    self.message = number == 0 ? message : "\(message): \(String(cString: strerror(number)))"
    self.sql = sql
    self.path = path
  }

  /// Returns the same failure of a file that others know by another name.
  public func naming(_ path: String) -> SQLiteError {
    var error = self
    error.path = path
    return error
  }

  private static func isAboutSystem(_ extendedCode: Int32) -> Bool {
    [SQLITE_IOERR, SQLITE_CANTOPEN].contains(extendedCode & 0xff)
  }

  /// SQLite says “disk I/O error” of the index beside a write-ahead log that has no room, and of whatever else it does not tell apart.
  private static func code(_ extendedCode: Int32, _ number: Int32) -> Code {
    let primary = Code(rawValue: extendedCode & 0xff)
    switch number {
    case ENOSPC, EDQUOT, EFBIG: return .full
    case EACCES, EPERM, EROFS: return primary == .inputOutput ? .readOnly : primary
    default: return primary
    }
  }

  /// Whether the system refused something, rather than that the database is not what it should be. A file that is too short is read as
  /// an error of the disk.
  package var isOfThisDevice: Bool {
    switch code {
    case .full, .readOnly, .cannotOpen, .noMemory: true
    case .inputOutput: extendedCode >> 8 != Self.shortRead
    default: false
    }
  }

  /// What SQLite adds to a failure to read if the file ends before.
  private static let shortRead: Int32 = 2

  /// Characters of a statement that are shown: one with a mark for each value of a long list has millions.
  private static let shownLength = 2_000

  /// One line for a log or a terminal.
  public var description: String {
    let statement =
      sql.map { " in “\($0.prefix(Self.shownLength))\($0.count > Self.shownLength ? "…" : "")”" } ?? ""
    return "\(path): \(message) (SQLite \(extendedCode))\(statement)"
  }
}
