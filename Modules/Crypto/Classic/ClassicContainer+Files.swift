extension ClassicContainer {
  /// Encrypts a file into another in constant memory.
  ///
  /// Blocks the thread; checks for cancellation of the task after every 256 KiB. On any failure nothing is at
  /// `destination` that was not there before. The two paths may be the same. The new file is readable by its owner only.
  ///
  /// - Throws: ``CryptoError`` with `fileFailure`, `cancelled` or `primitiveFailure`.
  public static func sealFile(
    at source: String, to destination: String, with key: ClassicKey, random: any RandomSource = .system,
    progress: FileProgress? = nil
  ) throws(CryptoError) {
    let writer = try ClassicWriter(key: key, random: random)
    try convertFile(at: source, to: destination, using: writer, random: random, progress: progress)
  }

  /// Decrypts a file into another in one pass and constant memory; `destination` is never seen before all of it is
  /// authenticated.
  ///
  /// Blocks the thread; checks for cancellation of the task after every 256 KiB. On any failure nothing is at
  /// `destination` that was not there before. The two paths may be the same. The new file is readable by its owner only.
  ///
  /// - Throws: ``CryptoError`` as ``open(_:with:)``, `fileFailure` or `cancelled`.
  public static func openFile(
    at source: String, to destination: String, with key: ClassicKey, random: any RandomSource = .system,
    progress: FileProgress? = nil
  ) throws(CryptoError) {
    let reader = ClassicReader(key: key)
    try convertFile(at: source, to: destination, using: reader, random: random, progress: progress)
  }
}
