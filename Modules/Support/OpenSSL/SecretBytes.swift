import CTICDSOpenSSL

/// Bytes that must not outlive their use: overwritten with zeros when the last reference goes, and never printed.
///
/// Immutable, so it may be shared between threads. Copies that a caller makes of the bytes are the caller's to erase.
///
/// The unchecked conformance is sound: the memory is written only in initialisers, before any other reference exists,
/// and released in `deinit`, when none exists any more.
public final class SecretBytes: @unchecked Sendable {
  private let storage: UnsafeMutableRawBufferPointer

  /// Makes a secret of a known size; `fill` writes it. What `fill` leaves is zero.
  ///
  /// - Throws: what `fill` throws; the memory has then been erased.
  public init<Failure: Error>(
    count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    storage = .allocate(byteCount: count, alignment: 16)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
    // A class whose initialiser throws after all properties are set still runs `deinit`.
    try fill(storage)
  }

  /// Copies bytes. Erase the source with ``erase(_:)`` if it is no longer needed.
  public convenience init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Random bytes fit for a key.
  ///
  /// - Throws: ``OpenSSLError`` with `libraryFailure` if the system offers no entropy.
  public static func random(count: Int) throws(OpenSSLError) -> SecretBytes {
    try SecretBytes(count: count) { (buffer) throws(OpenSSLError) in try SecureRandom.fillSecret(buffer) }
  }

  deinit {
    OPENSSL_cleanse(storage.baseAddress, storage.count)
    storage.deallocate()
  }

  /// Number of bytes.
  public var count: Int { storage.count }

  /// Lends the bytes for the duration of a call.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage))
  }

  /// Overwrites an array's bytes with zeros, in place if no other copy shares its storage.
  public static func erase(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}

extension SecretBytes: Equatable {
  /// Compares in a time that depends on the lengths only.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    ConstantTime.areEqual(UnsafeRawBufferPointer(left.storage), UnsafeRawBufferPointer(right.storage))
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of bytes, never the bytes.
  public var description: String { "SecretBytes(\(count) bytes)" }
  /// The number of bytes, never the bytes.
  public var debugDescription: String { description }
  /// Shows nothing to `dump` and debuggers' summaries.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
