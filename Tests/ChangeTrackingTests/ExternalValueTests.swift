import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

final class Photo: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var title: String = ""
  @Attribute(externalStorage: true) var pixels: Data?
  @ToOne var album: Album?
}

final class Album: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToMany(inverse: \Photo.album) var photos: Set<Photo>
}

/// Values that lie in files beside the store.
@Suite struct ExternalValueTests {
  private let model: ManagedObjectModel
  private let here: ManagedDevice
  private let pixels = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  init() throws {
    model = try ManagedObjectModel(Photo.self, Album.self)
    here = try ManagedDevice("here", model)
    try here.edit { context in
      let photo = try context.insert(Photo.self)
      photo.title = "sunset"
      photo.pixels = pixels
    }
  }

  private func files(of path: String) throws -> [URL] {
    let store = URL(filePath: path)
    let name = store.deletingPathExtension().lastPathComponent
    let folder = store.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
    return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }

  private func pixels(_ device: ManagedDevice) throws -> Data? { try device.the(Photo.self).pixels }

  private func exchangeLongValues(from writer: ManagedDevice, to reader: ManagedDevice, _ sets: [ReceivedSet])
    throws
  {
    try reader.receive(sets)
    var fetched = FetchedLongValues()
    for reference in try reader.replica.awaitedLongValues() {
      let bytes = Array(try #require(try pixels(writer)))
      let isTaken = fetched.add(bytes, as: reference)
      #expect(isTaken)
    }
    try reader.replica.receive(fetched)
  }

  // MARK: Snapshots

  @Test func `a snapshot takes the files along, and whoever begins with it has the values`() throws {
    let path = here.folder.file("new.sqlite")
    _ = try here.replica.snapshot(to: path)
    #expect(try files(of: path).count == 1)
    let new = try ManagedDevice("new", model, path: path)
    #expect(try pixels(new) == pixels)
    // Both go their own ways.
    try here.edit { _ in try here.the(Photo.self).pixels = nil }
    #expect(try pixels(new) == pixels)
  }

  @Test func `what an unfinished snapshot has left does not stand in the way of the next`() throws {
    let path = here.folder.file("new.sqlite")
    _ = try here.replica.snapshot(to: path)
    let file = try #require(try files(of: path).first)
    try FileManager.default.removeItem(atPath: path)
    try Data([1, 2, 3]).write(to: URL(filePath: file.path + ".unfinished"))
    try FileManager.default.removeItem(at: file)

    _ = try here.replica.snapshot(to: path)
    #expect(try pixels(ManagedDevice("new", model, path: path)) == pixels)
    #expect(try files(of: path).map(\.lastPathComponent) == [file.lastPathComponent])
  }

  @Test func `a snapshot of a store that misses a file is made, and misses it too`() throws {
    for file in try files(of: here.path) { try FileManager.default.removeItem(at: file) }
    let path = here.folder.file("new.sqlite")
    _ = try here.replica.snapshot(to: path)
    let new = try ManagedDevice("new", model, path: path)
    #expect(try new.the(Photo.self).title == "sunset")
    #expect(try pixels(new) == nil)
  }

  @Test func `a snapshot whose files cannot be copied leaves neither store nor files`() throws {
    let path = here.folder.file("new.sqlite")
    // Where the folder would be lies a file.
    try Data().write(to: URL(filePath: here.folder.file(".new_SUPPORT")))
    #expect(throws: (any Error).self) { try here.replica.snapshot(to: path) }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: path + ".unfinished"))
  }

  // MARK: Missing files

  @Test func `a value whose file is missing is not said to be null, by nobody who goes on with the store`()
    throws
  {
    let there = try ManagedDevice("there", model)
    try exchangeLongValues(from: here, to: there, try here.push())
    #expect(try pixels(there) == pixels)
    // Given a copy that somebody made of the file of the store alone.
    let path = here.folder.file("copied.sqlite")
    try here.context.connection.run("VACUUM INTO ?", .text(path))
    let copied = try ManagedDevice("copied", model, path: path, clock: here.clock)
    try copied.replica.beginNewIncarnation()
    // When the copy is adopted anew, and writes what it can read.
    try copied.replica.adoptExistingObjects()
    try copied.edit { _ in try copied.the(Photo.self).title = "evening" }
    let sets = try copied.push()
    // Then nobody is told of a null.
    #expect(!sets.flatMap(\.set.syncChanges).contains { $0.key == "pixels" && $0.value == .null })
    try there.receive(sets)
    #expect(try there.the(Photo.self).title == "evening")
    #expect(try pixels(there) == pixels)
  }

  @Test func `an object whose file goes before it was said is said without the value, and the report tells`()
    throws
  {
    for file in try files(of: here.path) { try FileManager.default.removeItem(at: file) }
    let there = try ManagedDevice("there", model)
    let sets = try here.push()
    #expect(sets.flatMap(\.set.syncChanges).contains { $0.key == "title" })
    #expect(!sets.flatMap(\.set.syncChanges).contains { $0.key == "pixels" })
    try there.receive(sets)
    #expect(try there.the(Photo.self).title == "sunset")

    there.clock.advance(10_000)
    try there.edit { _ in try there.the(Photo.self).title = "seen" }
    let report = try here.receive(try there.push())
    let warning = try #require(report.warnings.first { $0.kind == .unreadable })
    #expect(warning.entity == "Photo" && warning.key == "pixels" && warning.client == "here")
    #expect(try here.the(Photo.self).ticdsSyncID == warning.object?.string)
    // It is said once.
    there.clock.advance(10_000)
    try there.edit { _ in try there.the(Photo.self).title = "again" }
    #expect(try here.receive(try there.push()).warnings.isEmpty)
  }

  @Test func `a value that was cleared is said to be null`() throws {
    let there = try ManagedDevice("there", model)
    try exchangeLongValues(from: here, to: there, try here.push())
    try here.edit { _ in try here.the(Photo.self).pixels = nil }
    try there.receive(try here.push())
    #expect(try pixels(there) == nil)
  }

  @Test func `a relationship to a row that another program has removed is not said to be cleared`() throws {
    let there = try ManagedDevice("there", model)
    try here.edit { context in
      let album = try context.insert(Album.self)
      album.name = "summer"
      try here.the(Photo.self).album = album
    }
    try there.receive(try here.push())
    #expect(try there.the(Photo.self).album?.name == "summer")
    try here.context.connection.run("DELETE FROM ZALBUM")
    // The store is adopted as a whole.
    try here.replica.beginNewIncarnation()
    try here.replica.adoptExistingObjects()
    let sets = try here.push()
    #expect(!sets.flatMap(\.set.syncChanges).contains { $0.key == "album" && $0.target == nil })
    try there.receive(sets)
    #expect(try there.the(Photo.self).album?.name == "summer")
  }
}
