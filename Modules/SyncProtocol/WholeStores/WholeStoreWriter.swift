import ChangeTracking
import Crypto
import TICDSOpenSSL
import TICDSZlib

/// Writes a store and the files beside it into the one file of a whole store, in constant memory.
package struct WholeStoreWriter: ~Copyable {
  private var deflater: Deflater
  private var sealing: SealedWriter?
  private var hash = SHA256()
  private let output: OutputFile
  private var size: Int64 = 0
  private var ready: [UInt8] = []
  private static let pieceSize = 256 << 10

  private init(output: consuming OutputFile, sealing: consuming SealedWriter?) throws(ZlibError) {
    deflater = try Deflater(level: CompressionLevel(5))
    self.output = output
    self.sealing = sealing
  }

  /// What was written.
  package struct Written: Hashable, Sendable {
    /// Hash of the file.
    package var hash: ContentHash
    /// Bytes of the file.
    package var size: Int64
  }

  /// Writes a file; it appears when it is complete.
  ///
  /// - Parameters:
  ///   - store: a copy of a store that nobody writes to, with its files where ``StoreAttachments`` says.
  ///   - path: where to write.
  ///   - seal: begins the container; returns `nil` without encryption.
  ///   - progress: told how many bytes were read of how many.
  /// - Throws: `CryptoError`, `ZlibError`, `CancellationError`, or a file system error.
  package static func write(
    storeAt store: String, to path: String, seal: () throws(CryptoError) -> SealedWriter?,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws -> Written {
    let folder = StoreAttachments.folder(ofStoreAt: store)
    let files = try StoreAttachments.names(ofStoreAt: store).map { (name: $0, path: "\(folder)/\($0)") }
    let storeSize = try size(of: store)
    let sizes = try files.map { try size(of: $0.path) }
    let head = WholeStoreEntry.headSize
    let length = sizes.reduce(UInt64(WholeStoreEntry.lengthSize) + storeSize) { $0 + UInt64(head) + $1 }
    let header = WholeStoreHeader(length: length, fileCount: UInt32(clamping: files.count))

    var writer = try WholeStoreWriter(
      output: try OutputFile.create(path: path, random: .system), sealing: try seal())
    try writer.emit(header.bytes)
    var done: UInt64 = 0
    try writer.deflate(WholeStoreEntry.length(storeSize))
    try writer.copy(store, storeSize) {
      done += $0; progress(done, length)
    }
    for (file, size) in zip(files, sizes) {
      try writer.deflate(Array(file.name.utf8) + WholeStoreEntry.length(size))
      try writer.copy(file.path, size) {
        done += $0; progress(done, length)
      }
    }
    return try writer.finish()
  }

  private static func size(of path: String) throws -> UInt64 {
    guard let size = LocalFile.size(of: path) else {
      throw CryptoError(.fileFailure, "cannot be examined", path: path)
    }
    return UInt64(size)
  }

  private mutating func copy(_ path: String, _ size: UInt64, _ progress: (UInt64) -> Void) throws {
    let input = try InputFile(path: path)
    var piece: [UInt8] = []
    var left = size
    while true {
      try Task.checkCancellation()
      try input.read(into: &piece, upTo: Self.pieceSize)
      if piece.isEmpty { break }
      guard UInt64(piece.count) <= left else { break }
      left -= UInt64(piece.count)
      try deflate(piece)
      progress(UInt64(piece.count))
    }
    guard left == 0, piece.isEmpty else {
      throw CryptoError(.fileFailure, "was changed while it was read", path: path)
    }
  }

  private mutating func deflate(_ bytes: [UInt8]) throws {
    var deflated: [UInt8] = []
    try deflater.update(bytes, appendingTo: &deflated)
    try emit(deflated)
  }

  private mutating func emit(_ bytes: [UInt8]) throws {
    if sealing == nil { return try write(bytes) }
    try sealing?.update(bytes, appendingTo: &ready)
    try write(ready)
    ready.removeAll(keepingCapacity: true)
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    hash.update(bytes)
    size += Int64(bytes.count)
    try output.write(bytes)
  }

  private consuming func finish() throws -> Written {
    var rest: [UInt8] = []
    try deflater.finish(appendingTo: &rest)
    try emit(rest)
    if let sealing = sealing.take() {
      var last: [UInt8] = []
      try sealing.finish(appendingTo: &last)
      try write(last)
    }
    let written = Written(hash: ContentHash(hash.finalize()), size: size)
    try output.commit()
    return written
  }
}
