import ChangeTracking
import Foundation
import ObjectStore
import SyncProtocol

/// Whole devices that meet in an encrypted folder: the first upload of what a store holds, joining, catching up, and nothing to do.
enum SyncBenchmark {
  /// - Parameter scale: 1 is 1,000,000 objects, and 1,000 sets of 100 changes.
  static func run(scale: Double, _ only: Set<String>) throws -> [Measure] {
    func wants(_ ids: [String]) -> Bool { only.isEmpty || !only.isDisjoint(with: ids) }
    var measures: [Measure] = []
    for (suffix, count) in [("_10k", 10_000), ("_100k", 100_000), ("", 1_000_000)] {
      let ids = [
        "first_push_rate", "first_push_memory", "join_rate", "join_memory", "join_requests", "idle_ms",
        "idle_requests",
      ].map { $0 + suffix }
      guard wants(ids) else { continue }
      let count = max(100, Int(Double(count) * scale))
      measures += try waiting { try await life(count, suffix) }
    }
    if wants(["catch_up_rate"]) {
      measures.append(try waiting { try await catchingUp(sets: max(10, Int(1_000 * scale)), of: 100) })
    }
    if only.isEmpty || only.contains(where: { $0.hasPrefix("ensembles") }) {
      measures += try waiting { try await EnsemblesScenario.run() }
    }
    if only.isEmpty || only.contains(where: { $0.hasPrefix("growth") }) {
      measures += try waiting { try await GrowthScenario.run(scale: scale) }
    }
    return only.isEmpty ? measures : measures.filter { only.contains($0.id) }
  }

  // MARK: A store with many objects

  private static func life(_ count: Int, _ suffix: String) async throws -> [Measure] {
    let remote = try SyncedFolder()
    let first = try await SyncedDevice("first", remote) { try fill($0, count) }
    var before = try ProcessMemory.restart()
    var start = ContinuousClock.now
    try await first.document.synchronize(SyncedDevice.options)
    let pushed = seconds(since: start)
    let pushMemory = try ProcessMemory.peak() - before
    try await first.document.uploadStore()

    before = try ProcessMemory.restart()
    start = .now
    let second = try await SyncedDevice(joining: remote, as: "second", with: first.encryption)
    let joined = seconds(since: start)
    let joinMemory = try ProcessMemory.peak() - before
    guard try second.store.newContext().count(FetchRequest<Book>()) == count else { throw Problem.incomplete }

    var (times, requests): ([Double], [Int]) = ([], [])
    for _ in 0..<5 {
      let report = try await second.document.synchronize(SyncedDevice.options)
      times.append(report.seconds * 1_000)
      requests.append(report.requests)
    }
    func rate(_ time: Double) -> Double { Double(count) / time }
    return [
      Measure("first_push_rate\(suffix)", rate(pushed), "objects per second"),
      Measure("first_push_memory\(suffix)", pushMemory / 1_048_576, "MiB more at most"),
      Measure("join_rate\(suffix)", rate(joined), "objects per second"),
      Measure("join_memory\(suffix)", joinMemory / 1_048_576, "MiB more at most"),
      Measure("idle_ms\(suffix)", Measure.median(times), "ms with nothing to do"),
      Measure("idle_requests\(suffix)", Double(requests.max() ?? 0), "requests with nothing to do"),
    ]
  }

  /// Books that were there before anybody thought of synchronising.
  private static func fill(_ store: PersistentStore, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 5_000) {
      try SyncedModel.add(start..<min(count, start + 5_000), to: store)
    }
  }

  // MARK: Many sets

  private static func catchingUp(sets: Int, of changes: Int) async throws -> Measure {
    let remote = try SyncedFolder()
    let writer = try await SyncedDevice("writer", remote, setLimit: changes) { try fill($0, changes) }
    try await writer.document.synchronize(SyncedDevice.options)
    let reader = try await SyncedDevice(joining: remote, as: "reader", with: writer.encryption)
    let context = try writer.store.newContext()
    writer.store.recordChanges()
    let books = try context.fetch(Book.self)
    for round in 0..<sets {
      for book in books { book.title = "\(book.number) in round \(round)" }
      try context.save()
    }
    try await writer.document.synchronize(SyncedDevice.options)
    let start = ContinuousClock.now
    let report = try await reader.document.synchronize(SyncedDevice.options)
    let time = seconds(since: start)
    return Measure("catch_up_rate", Double(report.pulled) / time, "changes per second")
  }

  static func seconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .seconds(1)
  }

  private enum Problem: Error { case incomplete }
}
