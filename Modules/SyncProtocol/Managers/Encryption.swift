import Crypto

/// How a client wants to register with a remote.
public enum EncryptionChoice: Sendable {
  /// Without encryption. Refused if the remote is encrypted.
  case none
  /// With a password: creates an encrypted remote, or joins one. Refused if the remote exists and is not encrypted.
  case password(String)
  /// With keys that were unlocked before and kept. Refused if the remote is not encrypted with one of them.
  case keys(KeyRing)
  /// With keys that were unlocked before, and a password that opens others: when two remotes that were created while apart
  /// have met, this makes the keys of both everybody's. See ``ApplicationRegistration/missingKeys``.
  case keysAndPassword(KeyRing, String)
}

/// What a client learned when it registered. Keep ``keys`` in a safe place, and later runs need neither the password nor a
/// request to the remote: see ``ApplicationSyncManager/resume(keys:)``.
public struct ApplicationRegistration: Sendable {
  /// Whether this client created the application's part of the remote.
  public var isNew: Bool
  /// The keys of an encrypted remote; `nil` if it is not encrypted.
  public var keys: KeyRing?
  /// Keys that the remote is encrypted with as well, and that this device could not get: devices with another password created
  /// it at the same time. Somebody who knows both passwords registers once more with ``EncryptionChoice/keysAndPassword(_:_:)``.
  public internal(set) var missingKeys: Set<KeyIdentifier> = []
  /// What was read or written on the way; `nil` if nothing was.
  var files: ApplicationFiles?

  init(isNew: Bool, keys: KeyRing?) {
    self.isNew = isNew
    self.keys = keys
  }

  /// Whether everything that is written is encrypted.
  public var isEncrypted: Bool { keys != nil }
}
