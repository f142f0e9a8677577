import Crypto

/// What a device has made of the key files itself. It keeps that without looking for it: a listing may be one of before.
struct WrittenKeyFiles: Sendable {
  /// The file that holds for each key; of former ones of the key nothing is left.
  private(set) var files: [KeyIdentifier: (path: RemotePath, bytes: [UInt8])] = [:]
  /// What opens nothing any more.
  private(set) var withdrawals: Set<WithdrawalName> = []

  var isEmpty: Bool { files.isEmpty && withdrawals.isEmpty }

  mutating func note(_ bytes: [UInt8], at path: RemotePath, of key: KeyIdentifier) {
    files[key] = (path, bytes)
  }

  mutating func note(_ withdrawal: WithdrawalName) {
    withdrawals.insert(withdrawal)
    if withdrawal.isOfKey { files[withdrawal.key] = nil }
  }

  /// Adds what was made later.
  mutating func add(_ later: WrittenKeyFiles) {
    for withdrawal in later.withdrawals { note(withdrawal) }
    files.merge(later.files) { $1 }
  }
}
