import Foundation
import SyncProtocol

/// Files of this device at the other end of a transfer, a piece at a time.
enum LocalBytes {
  private static let pieceSize = 1 << 20

  static func read(
    _ file: String, _ path: RemotePath, _ progress: TransferProgress
  ) throws(BackendError) -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      while let piece = try handle.read(upToCount: pieceSize), !piece.isEmpty {
        if Task.isCancelled { throw BackendError(.cancelled, path: path) }
        bytes += piece
        progress(Int64(bytes.count))
      }
    } catch let error as BackendError {
      throw error
    } catch {
      throw BackendError(.localFile, path: path, detail: "\(error)")
    }
    if bytes.isEmpty { progress(0) }
    return bytes
  }

  /// Writes a file that appears when it is complete.
  static func write(
    _ bytes: [UInt8], to file: String, _ path: RemotePath, _ progress: TransferProgress
  ) throws(BackendError) {
    let temporary = "\(file).\(UUID().uuidString).part"
    do {
      try Data().write(to: URL(fileURLWithPath: temporary))
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: temporary))
      for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        if Task.isCancelled { throw BackendError(.cancelled, path: path) }
        let end = min(start + pieceSize, bytes.count)
        try handle.write(contentsOf: bytes[start..<end])
        progress(Int64(end))
      }
      if bytes.isEmpty { progress(0) }
      try handle.close()
      guard rename(temporary, file) == 0 else {
        throw BackendError(.localFile, path: path, detail: "\(file) cannot be replaced")
      }
    } catch {
      try? FileManager.default.removeItem(atPath: temporary)
      throw error as? BackendError ?? BackendError(.localFile, path: path, detail: "\(error)")
    }
  }
}
