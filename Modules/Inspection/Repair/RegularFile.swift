import Foundation

/// Files of a folder in which somebody else may have put something: only what is a file itself is read, no link is followed, and
/// nobody waits for a pipe.
enum RegularFile {
  /// What reading a file gives.
  enum Content {
    case bytes(Data)
    case absent
    /// Why it cannot be read, as the end of a sentence.
    case unusable(String)
  }

  /// Reads a file that is not longer than a limit.
  static func content(of path: String, limit: Int64) -> Content {
    var bytes = Data()
    return pieces(of: path, limit: limit) { bytes.append($0) } ?? .bytes(bytes)
  }

  /// Reads a file that is not longer than a limit, piece by piece.
  ///
  /// - Returns: why it could not be read in full; `nil` if it was.
  static func pieces(of path: String, limit: Int64, _ body: (Data) throws -> Void) rethrows -> Content? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return .absent
      case ELOOP: return .unusable("is a link, which is not followed")
      case let number: return .unusable("cannot be read: \(String(cString: strerror(number)))")
      }
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .unusable("is no file")
    }
    var rest = limit
    guard Int64(status.st_size) <= rest else { return .unusable("is too long for one") }
    while true {
      let piece: Data
      do { piece = try handle.read(upToCount: pieceSize) ?? Data() } catch {
        return .unusable("cannot be read: \(error.localizedDescription)")
      }
      if piece.isEmpty { return nil }
      // Somebody may write to it meanwhile.
      rest -= Int64(piece.count)
      guard rest >= 0 else { return .unusable("is too long for one") }
      try body(piece)
    }
  }

  private static let pieceSize = 256 << 10

  /// Makes a file, where nothing lies, and opens it for writing.
  ///
  /// - Throws: `CocoaError` if something lies there, be it a link.
  static func make(_ path: String) throws -> FileHandle {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CocoaError(
        .fileWriteUnknown,
        userInfo: [
          NSFilePathErrorKey: path,
          NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)),
        ])
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The size of a file; `nil` if none lies there, or something else.
  static func size(of path: String) -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  /// Whether something lies there, be it a link that leads nowhere.
  static func isAnything(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
