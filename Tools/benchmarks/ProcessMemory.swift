import Foundation

/// The resident memory of this process, as Linux counts it in `/proc/self/status`.
enum ProcessMemory {
  /// Bytes by which the peak exceeds what was resident before.
  static func growth(_ work: () throws -> Void) throws -> Double {
    // Memory that was freed but not given back would hide growth.
    if let symbol = dlsym(nil, "malloc_trim") {
      let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
      _ = trim(0)
    }
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try bytes("VmRSS:")
    try work()
    return max(0, try peak() - before)
  }

  /// Begins to look for the peak anew.
  ///
  /// - Returns: the number of bytes now.
  static func restart() throws -> Double {
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    return try bytes("VmRSS:")
  }

  /// The greatest number of bytes so far.
  static func peak() throws -> Double { try bytes("VmHWM:") }

  /// The greatest number of bytes of another process so far, from its file in `/proc`; 0 when it has ended.
  static func peak(of place: String) throws -> Double { try bytes("VmHWM:", in: place) }

  private static func bytes(_ key: String, in place: String = "/proc/self/status") throws -> Double {
    let status = try String(contentsOf: URL(filePath: place), encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix(key) {
      return (Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0) * 1_024
    }
    return 0
  }
}
