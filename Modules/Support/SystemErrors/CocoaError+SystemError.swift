import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CocoaError {
  /// The system's number (`errno`) behind an error of Foundation about a file, where it tells one.
  package var systemError: Int32? {
    switch code {
    case .fileWriteOutOfSpace: return ENOSPC
    case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
    case .fileWriteVolumeReadOnly: return EROFS
    case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
    case .fileWriteFileExists: return EEXIST
    default:
      let beneath = underlying as? NSError
      return beneath?.domain == NSPOSIXErrorDomain ? beneath.map { Int32(clamping: $0.code) } : nil
    }
  }
}
