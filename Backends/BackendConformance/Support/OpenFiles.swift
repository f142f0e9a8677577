import Foundation

/// The files, connections and the like that this process has open.
enum OpenFiles {
  /// How many there are; `nil` where the system does not tell.
  static func count() -> Int? {
    #if os(Linux)
      let folder = "/proc/self/fd"
    #else
      let folder = "/dev/fd"
    #endif
    return try? FileManager.default.contentsOfDirectory(atPath: folder).count
  }

  /// How many more are open after a round than before it; `nil` where the system does not tell.
  ///
  /// Other tests of the process open and close files, too, as many at once as they like, but not in most of five rounds. So
  /// what three rounds say counts, and no more rounds are done than that takes.
  ///
  /// - Parameters:
  ///   - limit: how many more are too many.
  ///   - round: what may leave files open.
  static func usualGrowth(limit: Int, _ round: () async throws -> Void) async rethrows -> Int? {
    let rounds = 5
    var growths: [Int] = []
    while true {
      let (small, large) = (growths.filter { $0 < limit }, growths.filter { $0 >= limit })
      if small.count > rounds / 2 { return small.max() }
      if large.count > rounds / 2 { return large.min() }
      guard let before = count() else { return nil }
      try await round()
      guard let after = count() else { return nil }
      growths.append(after - before)
    }
  }
}
