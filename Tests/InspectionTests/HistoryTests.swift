import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// What became of an object, once sets that told of it were removed.
@Suite struct HistoryTests {
  @Test func `after a vacuum, what is latest among the sets that are left does not prevail for that`()
    async throws
  {
    // Given a name that the first device wrote last
    let workshop = try await Workshop(seed: 1, devices: 2)
    let (first, second) = (workshop.devices[0], workshop.devices[1])
    let part = try first.context.insert(Part.self)
    part.name = "original"
    try first.context.save()
    let identifier = try #require(part.ticdsSyncID)
    try await first.sync()
    try await second.sync()
    try workshop.rename(identifier, "older", on: second)
    try await second.sync()
    try workshop.rename(identifier, "newer", on: first)
    for device in [first, second, first] { try await device.sync() }
    let whole = try await workshop.inspector.history(of: identifier, in: "parts")
    #expect(
      whole.entries.filter { $0.change.key == "name" }.map { verdict(whole, $0) } == ["-", "-", "prevails"])
    #expect(!whole.lacksBeginning)

    // When a vacuum removes its sets, and the second device's stay
    _ = try await second.manager.uploadStore()
    _ = try await first.manager.uploadStore()
    try workshop.rename(identifier, "newest", on: second)
    for device in [second, first, second] { try await device.sync() }
    for _ in 0..<2 {
      workshop.advance(milliseconds: 200_000_000)
      try await first.sync()
      try await second.sync()
      _ = try await first.manager.vacuum()
    }
    let left = try await workshop.inspector.history(of: identifier, in: "parts")

    // Then nothing is said to prevail that may have been overruled.
    #expect(left.lacksBeginning)
    #expect(!left.entries.isEmpty && left.entries.count < whole.entries.count)
    #expect(left.entries.map { verdict(left, $0) }.allSatisfy { $0 != "prevails" })
  }

  @Test func `devices of one name are told apart by their authors, others are called by their names`()
    async throws
  {
    let remote = try await SampleRemote(encrypted: false)
    let maker = try await remote.device("third", called: "laptop")
    try await maker.push("before")
    for name in ["fourth", "fifth"] {
      let device = try await remote.device(name, called: name == "fifth" ? "desk" : "laptop")
      _ = try await device.document.synchronize()
      let context = try device.store.newContext()
      for item in try context.fetch(FetchRequest<Item>()) where ["before", "fourth"].contains(item.name) {
        item.name = name
      }
      try context.save()
      _ = try await device.document.synchronize()
    }
    let item = try #require(
      try await remote.device("fifth", called: "desk").store.newContext().fetch(FetchRequest<Item>()).first {
        $0.name == "fifth"
      })

    let history = try await remote.inspector.history(of: try #require(item.ticdsSyncID), in: "things")

    let names = history.entries.filter { $0.change.key == "name" }.map { entry in
      history.deviceName(of: entry) == "laptop [\(entry.set.author)]"
        ? "apart" : history.deviceName(of: entry)
    }
    #expect(names == ["apart", "apart", "desk"])
  }

  @Test(arguments: [true, false])
  func `where the latest set is lost or damaged, nothing that is left is said to prevail, nor to be all`(
    isDamaged: Bool
  ) async throws {
    let workshop = try await Workshop(seed: 1, devices: 2)
    let (first, second) = (workshop.devices[0], workshop.devices[1])
    let part = try first.context.insert(Part.self)
    part.name = "older"
    try first.context.save()
    let identifier = try #require(part.ticdsSyncID)
    for device in [first, second] { try await device.sync() }
    try workshop.rename(identifier, "newer", on: second)
    for device in [second, first, second] { try await device.sync() }
    // Of this device nothing else is there.
    let sets = FileManager.default.enumerator(
      at: URL(filePath: workshop.remote), includingPropertiesForKeys: nil)
    let author = try await workshop.inspector.author(called: second.name).description
    let set = try #require(
      sets?.compactMap { $0 as? URL }.first { $0.path.hasSuffix(".set") && $0.path.contains(author) })
    try isDamaged ? Data("x".utf8).write(to: set) : FileManager.default.removeItem(at: set)

    let history = try await workshop.inspector.history(of: identifier, in: "parts")
    let state = try await workshop.inspector.state(model: Workshop.model())

    #expect(history.omissions.missing.count + history.unread.count == 1)
    #expect(history.entries.map { verdict(history, $0) }.allSatisfy { $0 != "prevails" })
    #expect(state.omissions.count == 1, "\(state.omissions)")
  }

  private func verdict(_ history: ObjectHistory, _ entry: ObjectHistory.Entry) -> String {
    switch history.verdict(on: entry) {
    case .prevails: "prevails"
    case .latestKnown: "latest of those that are there"
    case .counts: "counts"
    case .deleted: "deleted"
    case .overruled: "-"
    }
  }
}

extension Workshop {
  fileprivate func rename(_ part: String, _ name: String, on device: Device) throws {
    advance()
    device.context.mergePendingChanges()
    let found = try device.context.fetch(FetchRequest<Part>().where(\.ticdsSyncID == part))
    try #require(found.first).name = name
    try device.context.save()
  }
}
