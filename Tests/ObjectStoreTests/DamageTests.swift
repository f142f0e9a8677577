import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Files that were cut, zeroed or had bits flipped give errors, or what can still be read; never a crash.
@Suite struct DamageTests {
  private static func storeBytes(_ fixture: TemporaryStore) throws -> [UInt8] {
    let context = try fixture.store.newContext()
    let folder = try context.insert(Folder.self) { $0.name = "folder" }
    for number in 0..<40 {
      let note = try context.insert(Note.self) {
        $0.title = "note \(number)"
        $0.identifier = UUID()
        $0.picture = Data(repeating: UInt8(number), count: number)
      }
      note.folder = folder
      note.$tags.insert(try context.insert(Tag.self) { $0.name = "tag \(number)" })
    }
    try context.save()
    try context.connection.execute(script: "PRAGMA wal_checkpoint(TRUNCATE)")
    return [UInt8](try Data(contentsOf: URL(filePath: fixture.path)))
  }

  private static func damage(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
    case 1:
      let start = Int.random(in: 0..<bytes.count, using: &random)
      for index in start..<min(bytes.count, start + 512) { bytes[index] = 0 }
    default:
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  /// Reads and writes as much as the file lets.
  private static func use(_ store: PersistentStore) throws -> Int {
    let context = try store.newContext()
    var length = 0
    for folder in try context.fetch(Folder.self) {
      for note in folder.notes { length += note.title.count + note.tags.count + (note.picture?.count ?? 0) }
      folder.name += "!"
    }
    for tag in try context.fetch(FetchRequest<Tag>().sorted(by: \.name).prefetching(\.notes)) {
      length += tag.notes.count
    }
    for note in try context.fetchBatched(FetchRequest<Note>(), size: 7) {
      length += note.identifier == nil ? 0 : 1
      if length % 5 == 0 { context.delete(note) }
    }
    try context.insert(Note.self) { $0.title = "new" }
    try context.save()
    return length
  }

  @Test func `a damaged store never crashes the process`() throws {
    let fixture = try TemporaryStore()
    let whole = try Self.storeBytes(fixture)
    var random = SeededGenerator(seed: 42)
    var refused = 0
    for number in 0..<100 {
      let path = fixture.folder.appending(path: "damaged \(number).sqlite")
      try Data(Self.damage(whole, using: &random)).write(to: path)
      do {
        _ = try Self.use(
          PersistentStore(model: fixture.store.model, url: path, options: .init(access: .readWrite)))
      } catch {
        #expect(error is StoreError || error is SaveError || error is ContextError, "\(error)")
        refused += 1
      }
      try FileManager.default.removeItem(at: path)
    }
    // Some damage must have been found, or nothing was tested.
    #expect(refused > 15)
  }
}
