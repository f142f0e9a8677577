import Foundation

/// The files, connections and the like that this process has open.
struct OpenFiles: Sendable {
  /// By number, what each leads to.
  private var targets: [String: String] = [:]

  /// Those that are open now; `nil` where the system does not tell.
  static func now() -> OpenFiles? {
    #if os(Linux)
      let folder = "/proc/self/fd"
    #else
      let folder = "/dev/fd"
    #endif
    guard let numbers = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
    var files = OpenFiles()
    for number in numbers {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
      files.targets[number] = target ?? ""
    }
    return files
  }

  private var count: Int { targets.count }

  private func subtracting(_ others: OpenFiles) -> OpenFiles {
    OpenFiles(targets: targets.filter { others.targets[$0.key] != $0.value })
  }

  private func intersection(_ others: OpenFiles) -> OpenFiles {
    OpenFiles(targets: targets.filter { others.targets[$0.key] == $0.value })
  }

  /// How many a round leaves open, at most; `nil` where the system does not tell.
  ///
  /// Other tests of the process open and close files, too. So those count that were not open before and stay open, and the least of up to four
  /// rounds: what a round leaves is there after each of them, whatever others close.
  ///
  /// - Parameters:
  ///   - limit: how many are too many.
  ///   - patience: how long those that were opened meanwhile may stay open.
  ///   - round: what may leave files open.
  static func left(
    limit: Int, patience: Duration, by round: () async throws -> Void
  ) async throws -> Int? {
    var least = Int.max
    for _ in 0..<4 where least >= limit {
      guard let before = now() else { return nil }
      try await round()
      let start = ContinuousClock.now
      guard var new = now()?.subtracting(before) else { return nil }
      while new.count >= limit, ContinuousClock.now - start < patience {
        try await Task.sleep(for: .milliseconds(20))
        if let open = now() { new = new.intersection(open) }
      }
      least = min(least, new.count)
    }
    return least
  }
}
