import FileManagerBackend
import Foundation
import Inspection
import Locking
import SyncProtocol
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

  @Test(.timeLimit(.minutes(10)))
  func `a folder that is not listed is told of, and what lies in it when it is listed is taken for old`()
    async throws
  {
    let workshop = try await Workshop(seed: 8, devices: 2)
    let (first, second) = (workshop.devices[0], workshop.devices[1])
    for device in [first, second] {
      try device.context.insert(Label.self).name = "old"
      try device.context.save()
      try await device.sync()
    }
    let author = try await first.manager.status().replica.author
    let folder = try #require(RemotePath("\(first.manager.hierarchy.root)/SyncChanges/\(author)"))
    let isRefused = Locked(true)
    let inspector = RemoteInspector(
      backend: RefusableListing(
        base: FileManagerBackend(folder: workshop.remote), folder: folder, isRefused: isRefused))
    let (told, events) = AsyncStream<String>.makeStream()
    let watch = Task {
      defer { events.finish() }
      try await inspector.watchSets(
        every: .milliseconds(50), whenUnlisted: { events.yield("\($0.map(\.path))") }
      ) { set, name in
        events.yield("\(name)")
      }
    }
    var next = told.makeAsyncIterator()
    #expect(await next.next() == "\([folder])")

    isRefused.withLock { $0 = false }
    #expect(await next.next() == "[]")
    workshop.advance()
    first.context.mergePendingChanges()
    try first.context.insert(Label.self).name = "new"
    try first.context.save()
    try await first.sync()

    #expect(await next.next() == "device 0")
    watch.cancel()
    await #expect(throws: CancellationError.self) { try await watch.value }
    #expect(await next.next() == nil)
  }

  @Test func `without the password nothing is watched, and that is told`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: remote.remote.path))
    await #expect(throws: InspectionError.self) {
      try await inspector.watchSets(every: .seconds(1)) { _, _ in }
    }
  }
}

/// Storage that does not list one folder for a while.
private struct RefusableListing: WrappingBackend {
  let base: any SyncBackend
  let folder: RemotePath
  let isRefused: Locked<Bool>

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    if folder == self.folder, isRefused.withLock(\.self) { throw BackendError(.forbidden, path: folder) }
    return try await base.list(folder)
  }
}
