import ObjectStore
import Testing

@testable import ChangeTracking

/// Deletions that are not saved when a merge comes.
@Suite struct UnsavedDeletionTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that have a shelf, and a book that stands nowhere.
  init() throws {
    let model = try ManagedObjectModel(
      Publication.self, Book.self, Magazine.self, Shelf.self, Cover.self, Reader.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      try context.insert(Shelf.self) {
        $0.ticdsSyncID = "shelf"
        $0.name = "shelf"
      }
      try context.insert(Book.self) { $0.isbn = "1" }
    }
    try ManagedDevice.exchange(here, there)
  }

  /// The name of the shelf that the book of a device shows to somebody who has read nothing before.
  private func shelf(_ device: ManagedDevice) throws -> String? {
    let context = try device.context.store.newContext()
    let books = try context.fetch(Book.self)
    return try withExtendedLifetime(context) {
      try #require(books.first).shelf.map { $0.isGone ? "a shelf that is gone" : $0.name }
    }
  }

  /// Deletes the shelf here while the book is put on it there.
  private func meet() throws {
    try here.context.delete(here.the(Shelf.self))
    there.clock.advance(60_000)
    try there.edit { _ in try there.the(Book.self).shelf = there.the(Shelf.self) }
    try here.receive(there.push())
    try here.context.save()
  }

  @Test func `what a merge related to an object that is then deleted shows nothing`() throws {
    try meet()

    for _ in 0..<2 { try ManagedDevice.exchange(here, there) }

    #expect(try shelf(here) == nil)
    #expect(try shelf(there) == nil)
  }

  @Test func `it shows the object again once somebody brings that back`() throws {
    try meet()
    try ManagedDevice.exchange(here, there)
    try there.edit {
      try $0.insert(Shelf.self) {
        $0.ticdsSyncID = "shelf"
        $0.name = "back"
      }
    }

    for _ in 0..<2 { try ManagedDevice.exchange(here, there) }

    #expect(try shelf(there) == "back")
    #expect(try shelf(here) == "back")
  }
}
