import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct UndoOrderTests {
  @Test func `an object that came with a merge stays if its list has another order since`() throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let (here, there) = (try ManagedDevice("here", model), try ManagedDevice("there", model))
    try there.edit { context in
      let list = try context.insert(Playlist.self)
      list.mentions = try ["a", "b", "c"].map { name in try context.insert(Track.self) { $0.title = name } }
    }
    let outcome = try here.replica.apply(there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let merged) = outcome, let inverse = merged.inverse else {
      Issue.record("nothing was merged")
      return
    }
    here.context.mergePendingChanges()
    try here.edit { _ in
      let list = try here.the(Playlist.self)
      list.mentions = list.mentions.reversed()
    }
    try here.push()

    let report = try here.replica.undo(inverse)

    #expect(report.kept.contains { $0.entity == "Playlist" && $0.key == nil })
    #expect(try here.context.fetch(Playlist.self).count == 1)
  }
}
