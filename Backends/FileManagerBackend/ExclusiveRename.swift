#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The renaming that never replaces, which POSIX does not have and each system spells differently.
enum ExclusiveRename {
  /// Whether it was done; if not, `errno` says why.
  static func run(
    _ sourceFolder: Int32, _ source: String, _ destinationFolder: Int32, _ destination: String
  ) -> Bool {
    #if canImport(Darwin)
      return renameatx_np(sourceFolder, source, destinationFolder, destination, UInt32(RENAME_EXCL)) == 0
    #else
      guard let renameat2 else {
        errno = ENOSYS
        return false
      }
      return renameat2(sourceFolder, source, destinationFolder, destination, noReplace) == 0
    #endif
  }

  #if !canImport(Darwin)
    private typealias Function =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    /// `RENAME_NOREPLACE` of renameat2(2).
    private static let noReplace: UInt32 = 1

    /// Looked up by name: the headers show it only to programs that ask for GNU extensions. The type is that of the manual.
    private static let renameat2: Function? = dlsym(nil, "renameat2").map {
      unsafeBitCast($0, to: Function.self)
    }
  #endif
}
