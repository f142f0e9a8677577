import ChangeTracking
import Crypto

/// What members have said to open nothing any more.
extension RegistrationPins {
  private static let withdrawal = "withdrawal"
  private static let withdrawalLimit = 1_024

  /// The genuine withdrawals that this device has seen.
  var withdrawals: Set<WithdrawalName> {
    get throws {
      Set(
        try replica.remoteNotes.all(Self.withdrawal).compactMap { note in
          RemoteName(note.key).flatMap { WithdrawalName($0) }
        })
    }
  }

  func add(_ withdrawals: Set<WithdrawalName>) throws {
    let known = try self.withdrawals
    guard !withdrawals.isSubset(of: known) else { return }
    try replica.changeRemoteNotes { notes in
      var last = try notes.all(Self.withdrawal).last?.number ?? 0
      for withdrawal in withdrawals.subtracting(known).sorted() {
        last += 1
        try notes.set(Self.withdrawal, RemoteNotes.Note(key: withdrawal.name.description, number: last))
      }
      try notes.keepGreatest(Self.withdrawalLimit, of: Self.withdrawal)
    }
  }

  /// Keeps another copy in place of one.
  func replaceKept(_ path: RemotePath, with other: (path: RemotePath, bytes: [UInt8])?) throws {
    try replica.changeRemoteNotes { notes in
      try notes.remove(Self.file, path.description)
      if let other {
        try notes.set(Self.file, RemoteNotes.Note(key: other.path.description, value: other.bytes))
      }
    }
  }
}
