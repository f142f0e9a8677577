import ObjectStore
import Testing

@testable import ChangeTracking

/// One-to-one claims while sets are made of the log in slices. Rows show what follows once the whole log is in sets, for until then they alone know the rest.
@Suite struct LogSliceClaimTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    here = try ManagedDevice("here", model, setLimit: 1)
    there = try ManagedDevice("there", model)
  }

  private func publication(_ isbn: String, on device: ManagedDevice) throws -> Publication {
    device.context.mergePendingChanges()
    let all = try device.context.fetch(Publication.self)
    return try #require(all.first { $0.isbn == isbn })
  }

  /// Both devices have a cover that two publications claim: the first there, the second, which shows it, here.
  private func claimTwice() throws {
    try here.edit { context in
      for isbn in ["first", "second"] { try context.insert(Publication.self).isbn = isbn }
      try context.insert(Cover.self).color = "red"
    }
    try ManagedDevice.exchange(here, there)
    try there.edit { _ in try publication("first", on: there).cover = there.the(Cover.self) }
    here.clock.advance(10_000)
    try here.edit { _ in try publication("second", on: here).cover = here.the(Cover.self) }
    try ManagedDevice.exchange(here, there)
  }

  @Test func `a claim that becomes free does not show a target whose deletion is further on in the log`()
    throws
  {
    try claimTwice()

    try here.edit { _ in try publication("second", on: here).cover = nil }
    try here.edit { try $0.delete(here.the(Cover.self)) }
    try there.receive(here.push())

    for device in [here, there] {
      let first = try publication("first", on: device)
      let index = try #require(first.entity.index(of: "cover"))
      #expect(first.value(at: index) == .null)
    }
  }

  @Test func `a claim that becomes free does not replace what the user wrote further on in the log`() throws {
    try claimTwice()

    try here.edit { _ in try publication("second", on: here).cover = nil }
    try here.edit { context in
      let blue = try context.insert(Cover.self)
      blue.color = "blue"
      try publication("first", on: here).cover = blue
    }
    try there.receive(here.push())

    for device in [here, there] {
      #expect(try publication("first", on: device).cover?.color == "blue")
      #expect(try publication("second", on: device).cover == nil)
    }
  }

  @Test func `what a slice leaves to show is shown by the next process if this one ends`() throws {
    try claimTwice()
    try here.edit { _ in try publication("second", on: here).cover = nil }
    try here.edit { try $0.insert(Reader.self).name = "somebody" }

    // The process ends after the first of several slices.
    struct Ended: Error {}
    here.replica.sealing = { bytes, _, sequence in
      if try self.here.replica.outbox().count == 1 { throw Ended() }
      return bytes
    }
    #expect(throws: Ended.self) { try here.replica.freeze() }
    #expect(try publication("first", on: here).cover == nil)
    let next = try ManagedDevice("here", model, path: here.path, clock: here.clock)
    try next.replica.freeze()

    #expect(try publication("first", on: next).cover?.color == "red")
  }
}
