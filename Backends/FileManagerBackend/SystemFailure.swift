import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whose file a system call worked on: that decides what its failure means.
enum Place {
  /// The folder that is the remote.
  case remote(RemotePath)
  /// A file on this device that goes to, or comes from, the remote.
  case local(RemotePath, String)

  /// What an error number of the operating system means.
  func failure(_ number: Int32) -> BackendError {
    let words = number == ELOOP ? "a symbolic link, which is not followed" : String(cString: strerror(number))
    switch self {
    case .remote(let path) where [EMFILE, ENFILE, ENOMEM].contains(number):
      // What this device has too little of says nothing of what lies there.
      return BackendError(.localFile, path: path, detail: "“\(path)”: \(words)", systemError: number)
    case .remote(let path):
      return BackendError(
        Self.meaning(of: number), path: path, detail: words,
        recovery: number == EROFS
          ? "It is mounted read-only: mount it so that it can be written; the next sync continues." : nil)
    case .local(let path, let file):
      return BackendError(.localFile, path: path, detail: "“\(file)”: \(words)", systemError: number)
    }
  }

  /// What the current value of `errno` means.
  var failure: BackendError { failure(errno) }

  static func meaning(of number: Int32) -> BackendError.Code {
    switch number {
    case ENOENT: .notFound
    case EEXIST, ENOTEMPTY: .alreadyExists
    case ENOTDIR: .notADirectory
    case EISDIR: .isADirectory
    // A symbolic link where none is followed.
    case ELOOP: .forbidden
    case EACCES, EPERM, EROFS: .forbidden
    // A limit on the size of files is a quota, too.
    case ENOSPC, EDQUOT, EFBIG: .quotaExceeded
    case EBUSY, ETXTBSY, EAGAIN, EDEADLK, ENOLCK: .locked
    // What network drives answer when the server is gone, and disks that were pulled out.
    case EIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ENETDOWN, ECONNREFUSED,
      ECONNRESET, ECONNABORTED, EINTR, EPIPE, ENODEV, ENXIO:
      .unreachable
    case ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL, ENAMETOOLONG: .unsupported
    default: .failed
    }
  }
}
