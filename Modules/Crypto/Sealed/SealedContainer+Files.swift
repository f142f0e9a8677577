extension SealedContainer {
  /// Encrypts a file into another in constant memory.
  ///
  /// Blocks the thread; checks for cancellation of the task after every 256 KiB. On any failure nothing is at
  /// `destination` that was not there before. The two paths may be the same. The new file is readable by its owner only.
  ///
  /// - Throws: ``CryptoError`` as ``seal(_:as:with:segmentSize:random:)``, `fileFailure` or `cancelled`.
  public static func sealFile(
    at source: String, to destination: String, as context: SealedContext, with key: MasterKey,
    segmentSize: SegmentSize = .standard, random: any RandomSource = .system, progress: FileProgress? = nil
  ) throws(CryptoError) {
    let writer = try SealedWriter(as: context, with: key, segmentSize: segmentSize, random: random)
    try convertFile(at: source, to: destination, using: writer, random: random, progress: progress)
  }

  /// Decrypts a file into another in constant memory; `destination` is never seen before all of it is authenticated.
  ///
  /// Blocks the thread; checks for cancellation of the task after every 256 KiB. On any failure nothing is at
  /// `destination` that was not there before. The two paths may be the same. The new file is readable by its owner only.
  ///
  /// - Throws: ``CryptoError`` as ``open(_:as:with:)``, `fileFailure` or `cancelled`.
  public static func openFile(
    at source: String, to destination: String, as context: SealedContext, with keys: KeyRing,
    random: any RandomSource = .system, progress: FileProgress? = nil
  ) throws(CryptoError) {
    let reader = SealedReader(as: context, with: keys)
    try convertFile(at: source, to: destination, using: reader, random: random, progress: progress)
  }
}
