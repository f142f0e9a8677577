import ChangeTracking

/// Something on the remote that a person should know of, although the synchronisation went on.
public enum SyncFinding: Hashable, Sendable, CustomStringConvertible {
  /// Why a set cannot be applied yet.
  public enum Obstacle: Hashable, Sendable {
    /// The storage has not delivered it.
    case missing
    /// Its bytes are not those that its name tells: delivered in part, or changed.
    case torn
    /// It is complete, but cannot be read; the text says why.
    case unreadable(String)
  }

  /// A head names a set that cannot be applied. What came before it is applied, and the next sync tries again.
  case waiting(author: AuthorID, sequence: UInt64, obstacle: Obstacle)
  /// A merged set mentions a long value that cannot be had. All else of the set is applied; the property shows what it showed
  /// before, and the next sync tries again.
  case valueWaiting(LongValue, obstacle: Obstacle)
  /// The remote shows less of an author than this device has applied: it was rolled back, or withholds files.
  case regressed(author: AuthorID, applied: UInt64, listed: UInt64?)
  /// Two copies of one store went on under one author; the sets of both are merged.
  case forked(author: AuthorID, sequence: UInt64)
  /// This store was restored or copied, and goes on as a new author.
  case newIncarnation(former: AuthorID)
  /// A head of this device's author that its author did not write; it is ignored.
  case forgedHead(String)
  /// Files among ours that are none of ours; they are left alone.
  case foreign(names: [String])

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .waiting(let author, let sequence, .missing): "Set \(sequence) of \(author) has not arrived yet."
    case .waiting(let author, let sequence, .torn): "Set \(sequence) of \(author) has not arrived in full."
    case .waiting(let author, let sequence, .unreadable(let why)):
      "Set \(sequence) of \(author) cannot be read: \(why)"
    case .valueWaiting(let value, .missing): "A value of \(value.length) bytes has not arrived yet."
    case .valueWaiting(let value, .torn):
      "A value of \(value.length) bytes has not arrived in full, or was changed."
    case .valueWaiting(let value, .unreadable(let why)):
      "A value of \(value.length) bytes cannot be read: \(why)"
    case .regressed(let author, let applied, let listed):
      "The remote shows \(listed.map { "sets up to \($0)" } ?? "nothing") of \(author), but \(applied) were applied."
    case .forked(let author, let sequence):
      "Two copies of one store wrote set \(sequence) of \(author); both were merged."
    case .newIncarnation(let former):
      "This store was restored or copied; it goes on as a new author after \(former)."
    case .forgedHead(let name): "The head “\(name)” was not written by its author and is ignored."
    case .foreign(let names): "\(names.count) foreign file(s) lie among the heads."
    }
  }
}

extension SyncFinding.Obstacle {
  /// What stands in the way of a file that cannot be downloaded; `nil` if the sync as a whole cannot go on.
  init?(_ error: BackendError) {
    switch error.code {
    case .notFound: self = .missing
    case .damaged: self = .torn
    case .tooLarge: self = .unreadable(error.description)
    default: return nil
    }
  }
}
