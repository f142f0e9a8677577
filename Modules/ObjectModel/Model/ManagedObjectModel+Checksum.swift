extension ManagedObjectModel {
  /// Base64 of a SHA-256 over the version hashes of all entities: equal for models that fit the same stores.
  public var versionChecksum: String { VersionHash.checksum(of: self) }
}
