import Foundation
import ObjectStore
import TICDSSQLite
import SampleFiles
import Testing

/// What a store and its folder look like before and after it was opened for reading only.
@Suite struct ReadOnlyTests {
  /// Names, contents and times of all files of a folder.
  private struct Listing: Equatable {
    let files: [String: [UInt8]]
    let times: [String: Date]

    init(_ folder: URL) throws {
      var files: [String: [UInt8]] = [:]
      var times: [String: Date] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let path = folder.appending(path: name).path
        files[name] = try [UInt8](Data(contentsOf: URL(filePath: path)))
        times[name] = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      }
      self.files = files
      self.times = times
    }
  }

  /// A store of which the last change is only in its write-ahead log, as a process that ended without closing leaves it.
  private func unclosedStore(_ suffixes: [String]) throws -> TemporaryStore {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    try context.insert(Tag.self).name = "first"
    try context.save()
    let copy = try TemporaryStore()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: copy.path + suffix)
      guard suffixes.contains(suffix) else { continue }
      try Data(contentsOf: URL(filePath: fixture.path + suffix)).write(to: URL(filePath: copy.path + suffix))
    }
    withExtendedLifetime(context) {}
    return copy
  }

  private func tags(_ fixture: TemporaryStore) throws -> [String] {
    let store = try PersistentStore(
      model: fixture.store.model, path: fixture.path, options: .init(access: .readOnly))
    return try store.newContext().fetch(Tag.self).map(\.name)
  }

  @Test(arguments: [["", "-wal"], ["", "-wal", "-shm"]])
  func `a store with a pending log is read whole, and no byte changes`(suffixes: [String]) throws {
    let fixture = try unclosedStore(suffixes)
    let before = try Listing(fixture.folder)

    #expect(try tags(fixture) == ["first"])

    #expect(try Listing(fixture.folder) == before)
  }

  @Test(arguments: [["", "-wal"], ["", "-wal", "-shm"]])
  func `a folder that cannot be written makes no difference`(suffixes: [String]) throws {
    let fixture = try unclosedStore(suffixes)
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: fixture.folder.path) {
      try files.setAttributes(
        [.posixPermissions: 0o444], ofItemAtPath: fixture.folder.appending(path: name).path)
    }
    try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: fixture.folder.path)
    defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.folder.path) }

    #expect(try tags(fixture) == ["first"])
  }

  @Test func `a store that is open for writing is read with its log, as of now`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    for name in ["first", "second"] {
      try context.insert(Tag.self).name = name
      try context.save()
    }

    #expect(try tags(fixture).sorted() == ["first", "second"])
  }

  @Test func `a save into a store that is open for reading is refused`() throws {
    let fixture = try TemporaryStore()
    let store = try PersistentStore(
      model: fixture.store.model, path: fixture.path, options: .init(access: .readOnly))
    let context = try store.newContext()
    try context.insert(Tag.self).name = "x"

    let error = #expect(throws: StoreError.self) { try context.save() }

    guard case .readOnly? = error?.reason else { return #expect(Bool(false), "\(error as Any)") }
  }

  @Test(.needsSamples, arguments: SampleStore.names)
  func `no sample changes, nor does its folder`(name: String) throws {
    let sample = try SampleStore(name)
    defer { sample.remove() }
    let before = try Listing(sample.folder)

    let model = try StoreFile(path: sample.file.path).model
    var options = PersistentStore.Options(access: .readOnly)
    options.checksVersionHashes = false
    let store = try PersistentStore(model: model, path: sample.file.path, options: options)
    _ = try StoreRows(store).allObjects()

    #expect(try Listing(sample.folder) == before)
  }
}
