import FileManagerBackend
import Foundation
import Inspection
import Testing

/// `watchSets`: what devices push from now on.
@Suite struct SetWatchTests {
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `each set that is pushed later is told once, with its device`(encrypted: Bool) async throws {
    let workshop = try await Workshop(seed: 7, devices: 2, encrypted: encrypted)
    let (first, second) = (workshop.devices[0], workshop.devices[1])
    for _ in 0..<3 { try workshop.edit(first) }
    try await first.sync()
    let inspector = workshop.inspector
    let (sets, found) = AsyncStream<String>.makeStream()
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    let watch = Task {
      try await inspector.watchSets(every: .milliseconds(50), whenReady: { isReady.yield() }) { set, name in
        let changes = try set.result.get().changes.count
        found.yield("\(name) \(set.name.sequence) \(changes > 0)")
      }
    }
    var readiness = ready.makeAsyncIterator()
    _ = await readiness.next()
    var told = sets.makeAsyncIterator()
    for (device, expected) in [
      (second, "device 1 1 true"), (first, "device 0 2 true"), (second, "device 1 2 true"),
    ] {
      let context = device.context
      context.mergePendingChanges()
      workshop.advance()
      try context.insert(Label.self).name = "new"
      try context.save()
      try await device.sync()
      #expect(await told.next() == expected)
    }
    watch.cancel()
    await #expect(throws: CancellationError.self) { try await watch.value }
  }

  @Test func `without the password nothing is watched, and that is told`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    await #expect(throws: InspectionError.self) {
      try await inspector.watchSets(every: .seconds(1)) { _, _ in }
    }
  }
}
