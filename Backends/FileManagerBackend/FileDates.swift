import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// When a file was written, by the clock of the file system.
struct FileDates {
  /// The last change of the content, since 1970-01-01 00:00 UTC.
  let modified: Duration
  private let changed: Duration

  init(_ status: stat) {
    #if canImport(Darwin)
      let (written, touched) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (written, touched) = (status.st_mtim, status.st_ctim)
    #endif
    modified = .seconds(written.tv_sec) + .nanoseconds(written.tv_nsec)
    changed = .seconds(touched.tv_sec) + .nanoseconds(touched.tv_nsec)
  }

  /// A name for the content of a file; `nil` where dates are too coarse to tell two contents apart.
  ///
  /// Every content is a file of its own that was renamed, so inode and dates change with it. FAT counts in steps of two
  /// seconds and some servers in whole ones; there, an inode that is used again could go unnoticed.
  func version(inode: UInt64, size: Int64) -> String? {
    let isCoarse = modified.components.attoseconds == 0 && changed.components.attoseconds == 0
    guard !isCoarse else { return nil }
    return "\(inode)-\(size)-\(modified.nanoseconds)-\(changed.nanoseconds)"
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (whole, fraction) = components
    return whole &* 1_000_000_000 &+ fraction / 1_000_000_000
  }
}
