#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ToolStatus {
  /// What it comes to that the operating system refuses to read or write something; `nil` where only the caller can tell.
  ///
  /// - Parameter number: the system's number, `errno`.
  public init?(systemError number: Int32) {
    switch number {
    // A limit on the size of files is a quota, too, and so is one on open files or memory.
    case ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM: self = .full
    case EACCES, EPERM, EROFS: self = .forbidden
    case ENOENT: self = .notFound
    case EEXIST: self = .alreadyExists
    case EBUSY, ETXTBSY, EAGAIN: self = .busy
    default: return nil
    }
  }
}

extension ToolFailure {
  /// Returns the failure of something on this device that the operating system refused.
  ///
  /// - Parameters:
  ///   - number: the system's number, `errno`.
  ///   - sentence: what could not be done, to what.
  ///   - status: what it comes to if the number does not tell.
  ///   - advice: what to do about it, unless the number tells better.
  public init(
    systemError number: Int32, _ sentence: String, otherwise status: ToolStatus = .forbidden,
    advice: String? = nil
  ) {
    self.init(
      ToolStatus(systemError: number) ?? status, "\(sentence) (\(String(cString: strerror(number))))",
      advice: Self.advice(systemError: number) ?? advice ?? "check the disk, or choose another place")
  }

  /// What to do about a disk without room, or one that must not be written; `nil` where the number tells nothing of that.
  public static func advice(systemError number: Int32) -> String? {
    switch number {
    case ENOSPC: "free some space on that disk, then try again"
    case EDQUOT: "free some space or enlarge your quota on that disk, then try again"
    case EFBIG: "raise the limit on the size of files (ulimit -f), then try again"
    case EMFILE, ENFILE: "raise the limit on open files (ulimit -n), then try again"
    case ENOMEM: "end other programs or raise the limit on memory, then try again"
    case EROFS: "it is mounted read-only: mount it so that it can be written, or choose another place"
    case EACCES, EPERM: "check its owner and permissions, and those of its folder, or choose another place"
    default: nil
    }
  }
}
