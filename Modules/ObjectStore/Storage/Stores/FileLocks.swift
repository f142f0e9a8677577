import Foundation

/// Returns whether somebody has a lock on a file, without opening it: to close it would end the locks of this process.
enum FileLocks {
  /// Whether a file is there and somebody may have a lock on it. Only Linux tells; elsewhere every file may be locked.
  static func mayBeLocked(_ path: String) -> Bool {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let number = attributes[.systemFileNumber] as? Int
    else { return FileManager.default.fileExists(atPath: path) }
    // A line is "1: POSIX  ADVISORY  READ 2113 fe:00:1641 128 128": the sixth word ends with the number of the file.
    guard let file = FileHandle(forReadingAtPath: "/proc/locks"), let list = try? file.readToEnd() ?? Data()
    else { return true }
    // Where nobody has any lock there is nothing to be read.
    return String(decoding: list, as: UTF8.self).split(separator: "\n").contains { line in
      line.split(separator: " ").contains { $0.hasSuffix(":\(number)") }
    }
  }
}
