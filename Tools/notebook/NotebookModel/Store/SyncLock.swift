import CommandLineTool
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets one sync of a notebook run at a time. The system releases it when the process ends, however it ends.
final class SyncLock {
  private let descriptor: Int32

  init(_ folder: NotebookFolder) throws(ToolFailure) {
    descriptor = open(folder.lock.path(percentEncoded: false), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let number = errno
      guard ToolStatus(systemError: number) == .full else { throw folder.notWritable }
      throw ToolFailure(systemError: number, "the folder “\(folder.path)” cannot be written")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw ToolFailure(
        .busy, "another sync of the notebook “\(folder.path)” is running",
        advice: "try again when it has finished")
    }
  }

  deinit { close(descriptor) }
}
