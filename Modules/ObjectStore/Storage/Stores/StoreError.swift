import TICDSSQLite

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
    /// The store was made for another model, and it is not known for which; one line for each entity that differs.
    case unknownVersion([String])
    /// What becomes of some entities or properties cannot be inferred from the two models; one line for each.
    case cannotInfer([String])
    /// The store's objects do not admit the migration; one line for each that stands in the way.
    case migrationRefused([String])
    /// A transformation or participant of a migration threw. The store is as before.
    case migrationFailed(any Error)
    /// The task that opened the store was cancelled while it was migrated. The store is as before.
    case cancelled
    /// The store's own description of itself cannot be read.
    case damagedMetadata(String)
    /// SQLite reported a failure.
    case database(SQLiteError)
    /// A file that holds a long value could not be written; what the system says.
    case externalFile(String)
    /// The disk has no room for a file that holds a long value.
    case full
    /// The store was opened for reading only.
    case readOnly
    /// A program has ended while it was writing, and what it began was not taken back yet, which takes writing.
    case unfinishedChange
  }

  /// What went wrong.
  public let reason: Reason
  /// The store file.
  public let path: String

  init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  /// Returns the same error about a file that is to have another name.
  func naming(_ path: String) -> StoreError {
    if case .database(let error) = reason { return StoreError(.database(error.naming(path)), path: path) }
    return StoreError(reason, path: path)
  }

  /// What a person can do about it.
  public var recovery: String {
    switch reason {
    case .missing: "Check the path, or allow the store to be made."
    case .notAStore: "Choose another file; this one belongs to another program."
    case .modelMismatch: "Open the store with the version of the model that it was made for, or migrate it."
    case .unknownVersion: "Name the version of the model that the store was made for in the migration."
    case .cannotInfer:
      "Give what was renamed a renaming identifier, and write transformations for the rest. The store is as before."
    case .migrationRefused: "Correct the objects that are named with the old version. The store is as before."
    case .migrationFailed: "Correct the cause, then open the store again. It is as before."
    case .cancelled: "Open the store again to migrate it. It is as before."
    case .damagedMetadata: "Restore the file from a copy."
    case .database(let error): error.recovery
    case .externalFile: "Check the folder beside the store and the space on the disk, then save again."
    case .full: "Free some disk space and try again; what could not be written in full is as it was."
    case .readOnly: "Open the store for writing."
    case .unfinishedChange:
      "Open the store once in its application, which takes that back; or copy it with its journal, and open the copy in a program that writes."
    }
  }

  /// One line for a log or a terminal; a mismatch gives one line for each entity.
  public var description: String {
    switch reason {
    case .missing: "\(path): there is no such file"
    case .notAStore: "\(path): is not a Core Data store"
    case .modelMismatch(let lines): "\(path): the model does not fit\n" + lines.joined(separator: "\n")
    case .unknownVersion(let lines):
      "\(path): is of an unknown version of the model\n" + lines.joined(separator: "\n")
    case .cannotInfer(let lines):
      "\(path): the migration cannot be inferred:\n" + lines.joined(separator: "\n")
    case .migrationRefused(let lines):
      "\(path): the migration is not possible\n" + lines.joined(separator: "\n")
    case .migrationFailed(let error): "\(path): the migration failed: \(error)"
    case .cancelled: "\(path): the migration was cancelled"
    case .damagedMetadata(let detail): "\(path): the metadata cannot be read: \(detail)"
    case .database(let error): error.description
    case .externalFile(let detail): "\(path): cannot be written: \(detail)"
    case .full: "\(path): cannot be written: the disk is full"
    case .readOnly: "\(path): the store is open for reading only"
    case .unfinishedChange:
      "\(path): a program ended while it was writing the store; the journal beside it, “\(path)-journal”, takes back what it began, and that was not done yet"
    }
  }
}
