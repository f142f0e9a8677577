import ChangeTracking
import Crypto
import Foundation
import TICDSZlib

/// Reads the one file of a whole store into a store and the files beside it, in constant memory.
///
/// What comes out is worth nothing before ``read(_:to:limits:opening:progress:)`` has returned: until then the file may be incomplete.
package struct WholeStoreReader: ~Copyable {
  private let limits: WholeStoreLimits
  private var sealing: SealedReader?
  private var pending: [UInt8] = []
  private var inflater: Inflater?
  private var unpacking: WholeStoreUnpacking
  private static let pieceSize = 256 << 10

  private init(_ store: String, limits: WholeStoreLimits, sealing: consuming SealedReader?) {
    self.limits = limits
    self.sealing = sealing
    unpacking = WholeStoreUnpacking(store: store)
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - store: where to write the store; the files beside it go where ``StoreAttachments`` says. Nothing lies there yet.
  ///   - limits: how much may come out.
  ///   - opening: opens the container; returns `nil` if the file is not sealed.
  ///   - progress: told how many bytes of the file were read.
  /// - Throws: `CryptoError`, `ZlibError`, ``FormatError``, `CancellationError`, or a file system error. What was written until then
  ///   is the caller's to remove.
  package static func read(
    _ path: String, to store: String, limits: WholeStoreLimits = WholeStoreLimits(),
    opening: () -> SealedReader?, progress: (_ done: Int64) -> Void = { _ in }
  ) throws {
    var reader = WholeStoreReader(store, limits: limits, sealing: opening())
    let input = try InputFile(path: path)
    var (piece, opened): ([UInt8], [UInt8]) = ([], [])
    var done: Int64 = 0
    while true {
      try Task.checkCancellation()
      try input.read(into: &piece, upTo: pieceSize)
      if piece.isEmpty { break }
      if reader.sealing == nil {
        try reader.take(piece)
      } else {
        opened.removeAll(keepingCapacity: true)
        try reader.sealing?.update(piece, appendingTo: &opened)
        try reader.take(opened)
      }
      done += Int64(piece.count)
      progress(done)
    }
    try reader.finish()
  }

  private mutating func take(_ bytes: [UInt8]) throws {
    guard inflater == nil else { return try inflate(bytes) }
    pending += bytes
    guard pending.count >= WholeStoreHeader.size else { return }
    let header = try WholeStoreHeader(Array(pending.prefix(WholeStoreHeader.size)), limits: limits)
    // More cannot come out than was said, and what was said is within the limits.
    inflater = try Inflater(limit: Int(clamping: header.length))
    unpacking.begin(header)
    let rest = Array(pending.dropFirst(WholeStoreHeader.size))
    pending = []
    try inflate(rest)
  }

  /// A little goes in at a time: whatever it inflates to is written before more is taken.
  private mutating func inflate(_ bytes: [UInt8]) throws {
    var inflated: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: Self.inflatedPiece) {
      inflated.removeAll(keepingCapacity: true)
      let piece = Array(bytes[start..<min(start + Self.inflatedPiece, bytes.count)])
      try inflater?.update(piece, appendingTo: &inflated)
      try unpacking.take(inflated)
    }
  }

  /// No more than about a thousand times as much comes out of it.
  private static let inflatedPiece = 4 << 10

  private consuming func finish() throws {
    if let sealing = sealing.take() {
      var last: [UInt8] = []
      try sealing.finish(appendingTo: &last)
      try take(last)
    }
    guard inflater != nil else {
      throw FormatError(format: "whole store", offset: pending.count, expected: "a header")
    }
    try inflater?.finish()
    try unpacking.finish()
  }
}
