import CommandLineTool
import Foundation

/// A file that did not exist, readable by its owner only, written piece by piece.
package final class NewFile {
  private let shownPath: String
  private let handle: FileHandle
  private var buffer = Data()
  private static let limit = 256 << 10

  /// Makes the file.
  ///
  /// - Throws: ``ToolFailure`` if there is one of this name, or it cannot be made.
  package init(_ path: String, shownAs shownPath: String? = nil) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ToolFailure(
        systemError: errno, "“\(shownPath ?? path)” cannot be made", advice: "choose another place")
    }
    self.shownPath = shownPath ?? path
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Adds a text.
  package func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= Self.limit { try drain() }
  }

  /// Ends the file. It is on the disk for good if asked.
  package func close(synchronizing: Bool = false) throws {
    try drain()
    if synchronizing { try synchronize() }
    try handle.close()
  }

  private func synchronize() throws {
    do { try handle.synchronize() } catch { throw failure(error) }
  }

  private func drain() throws {
    do { try handle.write(contentsOf: buffer) } catch { throw failure(error) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failure(_ error: any Error) -> ToolFailure {
    let failure = ToolFailure(storeError: error)
    return ToolFailure(
      failure?.status ?? .forbidden, "“\(shownPath)” cannot be written",
      advice: failure?.advice ?? "check the disk"
    )
  }
}
