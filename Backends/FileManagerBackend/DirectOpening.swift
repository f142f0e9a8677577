#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Opening a folder several levels down with one call of the system that follows no link on the way: `openat2`, Linux 5.6.
enum DirectOpening {
  /// The folder's descriptor; `nil` if it could not be opened so, for whatever reason: opening one folder after the other tells why.
  static func folder(_ names: [String], below folder: Int32, flags: Int32) -> Int32? {
    #if canImport(Darwin)
      return nil
    #else
      guard let call else { return nil }
      var how = Request(flags: UInt64(UInt32(bitPattern: flags)), mode: 0, resolve: noLinks | beneath)
      let result = call(openat2, Int(folder), names.joined(separator: "/"), &how, MemoryLayout<Request>.size)
      return result < 0 ? nil : Int32(truncatingIfNeeded: result)
    #endif
  }

  #if !canImport(Darwin)
    /// `struct open_how` of openat2(2).
    private struct Request {
      var flags: UInt64
      var mode: UInt64
      var resolve: UInt64
    }

    private typealias Call =
      @convention(c) (Int, Int, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int

    /// The number of openat2(2), which is the same on all architectures.
    private static let openat2 = 437
    /// `RESOLVE_NO_SYMLINKS` and `RESOLVE_BENEATH`.
    private static let (noLinks, beneath): (UInt64, UInt64) = (0x04, 0x08)

    /// The C library has no function of its own for it. Its `syscall` takes any number of words, each passed as in a call with just
    /// these, which is so for all of Linux's 64-bit architectures that Swift runs on.
    private static let call: Call? = dlsym(nil, "syscall").map { unsafeBitCast($0, to: Call.self) }
  #endif
}
