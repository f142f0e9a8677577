import Crypto

/// How a client wants to register with a remote.
public enum EncryptionChoice: Sendable {
  /// Without encryption. Refused if the remote is encrypted.
  case none
  /// With a password: creates an encrypted remote, or joins one. Refused if the remote exists and is not encrypted.
  case password(String)
  /// With keys that were unlocked before and kept. Refused if the remote is not encrypted with one of them.
  case keys(KeyRing)
}

/// What a client learned when it registered. Keep ``keys`` in a safe place, and later runs need neither the password nor a
/// request to the remote: see ``ApplicationSyncManager/resume(keys:)``.
public struct ApplicationRegistration: Sendable {
  /// Whether this client created the application's part of the remote.
  public var isNew: Bool
  /// The keys of an encrypted remote; `nil` if it is not encrypted.
  public var keys: KeyRing?

  /// Whether everything that is written is encrypted.
  public var isEncrypted: Bool { keys != nil }
}
