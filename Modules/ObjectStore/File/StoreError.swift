import SQLite

/// Why a store could not be opened, made, read or written.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Reason: Sendable {
    /// There is no file, and none was to be made.
    case missing
    /// The file is a database, but not a Core Data store.
    case notAStore
    /// The store was made for another model; one line for each entity that differs.
    case modelMismatch([String])
    /// The store's own description of itself cannot be read.
    case damagedMetadata(String)
    /// SQLite reported a failure.
    case database(SQLiteError)
    /// The store was opened for reading only.
    case readOnly
  }

  /// What went wrong.
  public let reason: Reason
  /// The store file.
  public let path: String

  init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  /// What a person can do about it.
  public var recovery: String {
    switch reason {
    case .missing: "Check the path, or allow the store to be made."
    case .notAStore: "Choose another file; this one belongs to another program."
    case .modelMismatch: "Open the store with the version of the model that it was made for, or migrate it."
    case .damagedMetadata: "Restore the file from a copy."
    case .database(let error): error.recovery
    case .readOnly: "Open the store for writing."
    }
  }

  /// One line for a log or a terminal; a mismatch gives one line for each entity.
  public var description: String {
    switch reason {
    case .missing: "\(path): there is no such file"
    case .notAStore: "\(path): is not a Core Data store"
    case .modelMismatch(let lines): "\(path): the model does not fit\n" + lines.joined(separator: "\n")
    case .damagedMetadata(let detail): "\(path): the metadata cannot be read: \(detail)"
    case .database(let error): error.description
    case .readOnly: "\(path): the store is open for reading only"
    }
  }
}
