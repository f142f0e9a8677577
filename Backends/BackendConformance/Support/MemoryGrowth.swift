import Foundation

/// How much memory this process takes while something is done.
enum MemoryGrowth {
  /// What a transfer may take, whatever the size of the file.
  static let limit = 32 << 20
  private static let turn = Turn()

  /// The least of several measurements, in bytes: other tests run beside and take memory, too.
  ///
  /// - Throws: what `work` throws, or ``LawSkipped`` where the system does not tell.
  static func least(_ work: @escaping @Sendable () async throws -> Void) async throws -> Int {
    try await turn.take {
      var least = Int.max
      for _ in 0..<5 where least > limit { least = min(least, try await measure(work)) }
      return least
    }
  }

  private static func measure(_ work: () async throws -> Void) async throws -> Int {
    // Memory that was freed but not given back would hide growth.
    if let symbol = dlsym(nil, "malloc_trim") {
      // The declaration of malloc_trim in glibc's malloc.h.
      let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
      _ = trim(0)
    }
    // Linux: 5 sets the peak back to what is resident now, see proc(5).
    guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil,
      let before = bytes("VmRSS:")
    else { throw LawSkipped(reason: "the peak of the memory cannot be measured on this system") }
    try await work()
    guard let peak = bytes("VmHWM:") else {
      throw LawSkipped(reason: "the peak of the memory cannot be measured on this system")
    }
    return max(0, peak - before)
  }

  private static func bytes(_ key: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }

  /// Lets one at a time measure.
  private actor Turn {
    private var last: Task<Void, Never>?

    func take(_ body: @escaping @Sendable () async throws -> Int) async throws -> Int {
      let task = Task { [last] in
        await last?.value
        return try await body()
      }
      last = Task { _ = await task.result }
      return try await task.value
    }
  }
}
