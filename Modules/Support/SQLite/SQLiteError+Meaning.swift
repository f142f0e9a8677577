import CTICDSSQLite

/// What SQLite's extended codes say beyond the primary ones. The numbers are composed as SQLite's header composes them, whose
/// macros Swift does not import.
extension SQLiteError {
  private static func extended(_ code: Int32, _ detail: Int32) -> Int32 { code | detail << 8 }

  /// What happened, in one sentence for a person; SQLite's own words are in ``message``.
  public var meaning: String {
    switch extendedCode {
    case Self.extended(SQLITE_BUSY, 1): "Another process is repairing the database after a crash."
    case Self.extended(SQLITE_BUSY, 2): "The database was changed after this transaction had begun to read."
    case Self.extended(SQLITE_READONLY, 4): "The database file was moved or replaced while it was open."
    case Self.extended(SQLITE_READONLY, 6): "The folder of the database cannot be written."
    case Self.extended(SQLITE_READONLY, 1), Self.extended(SQLITE_READONLY, 3),
      Self.extended(SQLITE_READONLY, 5):
      "The database was not closed properly and has to be opened for writing once."
    case Self.extended(SQLITE_CANTOPEN, 2): "The path leads to a folder, not to a file."
    case Self.extended(SQLITE_CANTOPEN, 5): "A write-ahead log beside the database cannot be opened."
    case Self.extended(SQLITE_CONSTRAINT, 8), Self.extended(SQLITE_CONSTRAINT, 6):
      "A value that must be unique is there already."
    case Self.extended(SQLITE_CONSTRAINT, 3): "A row refers to one that does not exist."
    case Self.extended(SQLITE_CONSTRAINT, 5): "A value that must be there is missing."
    case Self.extended(SQLITE_CONSTRAINT, 1): "A value is not admitted."
    case Self.extended(SQLITE_IOERR, 2): "The file is shorter than it says, as after an interrupted copy."
    case Self.extended(SQLITE_IOERR, 12): "There was not enough memory to read the file."
    case Self.extended(SQLITE_IOERR, 32): "The disk reports that its content is damaged."
    default: general
    }
  }

  private var general: String {
    switch code {
    case .busy, .locked: "The database is locked by somebody else."
    case .readOnly: "The database cannot be written."
    case .interrupted: "The operation was cancelled."
    case .inputOutput: "The disk or network drive reported an error."
    case .corrupt: "The database is damaged."
    case .full: "The disk is full."
    case .cannotOpen: "The database cannot be opened."
    case .constraint: "A rule of the database refuses the change."
    case .notADatabase: "The file is no SQLite database, or is encrypted."
    case .tooBig: "A value or statement is too long."
    default: "SQLite reported a failure."
    }
  }

  /// What a person can do about it.
  public var recovery: String {
    switch extendedCode {
    case Self.extended(SQLITE_BUSY, 2): return "Begin again; the next attempt sees the change."
    case Self.extended(SQLITE_READONLY, 4):
      return "Open the database again; nothing more is written to the old file."
    case Self.extended(SQLITE_READONLY, 6): return "Make the folder writable; SQLite keeps its journal there."
    case Self.extended(SQLITE_READONLY, 1), Self.extended(SQLITE_READONLY, 3),
      Self.extended(SQLITE_READONLY, 5):
      return "Open it once with permission to write, or copy it together with its log."
    case Self.extended(SQLITE_CANTOPEN, 2): return "Name the database file itself."
    case Self.extended(SQLITE_IOERR, 2):
      return "Restore the file from a copy, together with its “-wal” file if there is one."
    default: break
    }
    return switch code {
    case .busy, .locked: "Another process is writing to the database; try again when it has finished."
    case .readOnly: "Make the file and its folder writable."
    case .interrupted: "Nothing was changed; start the operation again if it is still wanted."
    case .full: "Free some disk space and try again; what could not be written in full is as it was."
    case .corrupt, .notADatabase: "The file is damaged or is no database; restore it from a copy."
    case .cannotOpen: "Check that the file exists and that its folder can be read and written."
    case .inputOutput: "The disk or network drive reported an error; check it, then try again."
    case .constraint: "Change the values that the message names, then try again."
    case .tooBig: "Store the value in several parts, or in a file of its own."
    default: "Report the message together with the statement."
    }
  }
}

extension SQLiteError {
  /// Whether whole numbers were summed up of which the sum does not fit 64 bits, which has no code of its own.
  package var isSumTooGreat: Bool { code == .generic && message == "integer overflow" }
}
