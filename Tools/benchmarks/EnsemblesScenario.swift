import Foundation
import ObjectStore
import SyncProtocol

/// What the sync library Ensembles 3 measures itself with: 500 parents with 3 children each are attached and synchronised, a second
/// device joins and adds 50 parents with 3 children, and the remote is made compact.
enum EnsemblesScenario {
  static func run() async throws -> [Measure] {
    let remote = try SyncedFolder()
    var measures: [Measure] = []
    func note(_ id: String, _ start: ContinuousClock.Instant, _ requests: Int) throws {
      let content = try remote.content()
      measures += [
        Measure("ensembles_\(id)_ms", SyncBenchmark.seconds(since: start) * 1_000, "ms"),
        Measure("ensembles_\(id)_requests", Double(requests), "requests of the synchronisation"),
        Measure("ensembles_\(id)_bytes", Double(content.bytes), "bytes on the remote"),
        Measure("ensembles_\(id)_files", Double(content.files), "files on the remote"),
      ]
    }

    var start = ContinuousClock.now
    let first = try await SyncedDevice("first", remote) {
      try SyncedModel.add(0..<1_500, shelves: true, to: $0)
    }
    try await note("attach", start, first.document.synchronize(SyncedDevice.options).requests)

    start = .now
    let second = try await SyncedDevice(joining: remote, as: "second", with: first.encryption)
    try await note("join", start, second.document.synchronize(SyncedDevice.options).requests)

    second.store.recordChanges()
    try SyncedModel.add(1_500..<1_650, shelves: true, to: second.store)
    start = .now
    let sent = try await second.document.synchronize(SyncedDevice.options).requests
    try await note("exchange", start, sent + first.document.synchronize(SyncedDevice.options).requests)

    start = .now
    let upload = try await first.document.uploadStore()
    _ = try await first.document.vacuum()
    try note("compact", start, upload.report.requests)
    return measures
  }
}
