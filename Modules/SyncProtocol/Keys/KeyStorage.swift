import Crypto

/// Where a device keeps the keys of an encrypted remote, so that later runs need neither the password nor a request.
///
/// Conform a type of your own for the system's key chain; ``PrivateKeyFile`` is a file. Called from one task at a time.
public protocol KeyStorage: Sendable {
  /// The keys that were kept; `nil` if there are none.
  ///
  /// - Throws: ``SyncError`` with `keysUnreadable` or `keysDamaged`: never `nil` for keys that are there.
  func load() throws(SyncError) -> KeyRing?

  /// Keeps keys in place of those that are there: all of them, and which one seals. A crash leaves the ones or the others.
  ///
  /// - Throws: ``SyncError`` with `keysUnreadable` or `storeFull`.
  func save(_ keys: KeyRing) throws(SyncError)
}
