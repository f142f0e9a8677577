import SyncProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files on this device at the other end of a transfer.
enum LocalFile {
  static func size(_ file: String, _ path: RemotePath) throws(BackendError) -> Int64 {
    var status = stat()
    guard stat(file, &status) == 0 else {
      let number = errno
      throw BackendError(
        .localFile, path: path, detail: "“\(file)”: \(String(cString: strerror(number)))", systemError: number
      )
    }
    return Int64(status.st_size)
  }
}
