import Foundation
import Locking

/// A program that was run to its end, and what that took.
struct MeasuredProcess {
  let status: Int32
  let seconds: Double
  /// Bytes by which its greatest resident memory exceeds what it had just after its start.
  let growth: Double
  /// Until so many lines had come from it; `nil` if there were fewer.
  var secondsToLine: Double?

  private struct Output {
    var lines = 0
    var reached: ContinuousClock.Instant?
  }

  /// Runs a program. Its standard output is read and dropped, so that it never waits for a reader.
  static func run(_ path: String, _ words: [String], untilLine line: Int = .max) throws -> MeasuredProcess {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    let (output, ended) = (Pipe(), DispatchSemaphore(value: 0))
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { _ in ended.signal() }
    let start = ContinuousClock.now
    try process.run()
    let read = Locked(Output())
    let drained = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      while true {
        let piece = output.fileHandleForReading.availableData
        guard !piece.isEmpty else { break }
        read.withLock { output in
          output.lines += piece.count { $0 == UInt8(ascii: "\n") }
          if output.lines >= line, output.reached == nil { output.reached = .now }
        }
      }
      drained.signal()
    }
    // The resources that the system counts for a child include those of the process that it was copied from.
    let place = "/proc/\(process.processIdentifier)/status"
    var (first, peak) = (0.0, 0.0)
    repeat {
      guard let now = try? ProcessMemory.peak(of: place), now > 0 else { continue }
      if first == 0 { first = now }
      peak = now
    } while ended.wait(timeout: .now() + .milliseconds(5)) == .timedOut
    let duration = ContinuousClock.now - start
    drained.wait()
    return MeasuredProcess(
      status: process.terminationStatus, seconds: duration / .seconds(1), growth: peak - first,
      secondsToLine: read.withLock { $0.reached }.map { ($0 - start) / .seconds(1) })
  }
}
