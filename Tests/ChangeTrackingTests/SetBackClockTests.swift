import ObjectStore
import Testing

@testable import ChangeTracking

/// A wall clock that is set back while the user works.
@Suite struct SetBackClockTests {
  @Test(arguments: [1_500, 86_400_000 as UInt64], [true, false])
  func `objects that are inserted before the clock steps back and linked after it keep their links and order`(
    step: UInt64, isPushedBetween: Bool
  ) throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let here = try ManagedDevice("here", model)
    let there = try ManagedDevice("there", model)
    try here.edit { context in
      try context.insert(Playlist.self).title = "list"
      for title in ["a", "b", "c"] { try context.insert(Track.self).title = title }
    }
    if isPushedBetween { try there.receive(try here.push()) }
    here.clock.set(here.clock.milliseconds - step)
    try here.edit { context in
      let list = try here.the(Playlist.self)
      for track in try context.fetch(Track.self).sorted(by: { $0.title > $1.title }) {
        list.guests.append(track)
        list.mentions.append(track)
        list.tracks.append(track)
      }
    }
    try there.receive(try here.push())

    for device in [here, there] {
      let list = try device.the(Playlist.self)
      #expect(list.guests.map(\.title) == ["c", "b", "a"])
      #expect(list.mentions.map(\.title) == ["c", "b", "a"])
      #expect(list.tracks.map(\.title) == ["c", "b", "a"])
    }
  }

  @Test func `an insertion is said before what is said of it, though its row is newer than its clock`() throws
  {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let here = try ManagedDevice("here", model, setLimit: 1)
    // Given a row whose identifier tells of a later time than the save that links it.
    try here.edit { try $0.insert(Playlist.self).title = "list" }
    here.clock.advance(1_500)
    try here.edit { try $0.insert(Track.self).title = "a" }
    here.clock.set(here.clock.milliseconds - 4_000)
    try here.edit { _ in try here.the(Playlist.self).guests.append(here.the(Track.self)) }
    // When each set comes by itself.
    let there = try ManagedDevice("there", model)
    var known: Set<SyncID> = []
    for set in try here.push() {
      for change in set.set.changes { if case .insert = change.action { known.insert(change.object) } }
      for change in set.set.changes {
        if case .link(_, let target) = change.action {
          #expect(known.isSuperset(of: [change.object, target]))
        }
      }
      let report = try there.receive([set])
      #expect(report.warnings.isEmpty)
    }
    #expect(try there.the(Playlist.self).guests.map(\.title) == ["a"])
  }

  @Test func `an edit of what a restored store shows wins over what its former self said of it`() throws {
    // Given a backup with an object that no set mentions yet, and sets that mention it, made after it.
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let here = try ManagedDevice("here", model)
    let there = try ManagedDevice("there", model)
    try here.edit { try $0.insert(Playlist.self).title = "list" }
    let path = here.folder.file("backup.sqlite")
    try here.context.connection.run("VACUUM INTO ?", .text(path))
    here.clock.advance(1_000)
    let former = try here.push()
    try there.receive(former)
    // When the backup takes the store's place, and the clock has been set back.
    here.clock.set(here.clock.milliseconds - 86_400_000)
    let restored = try ManagedDevice("here", model, path: path, clock: here.clock)
    try restored.edit { _ in try restored.the(Playlist.self).title = "renamed" }
    try restored.replica.beginNewIncarnation()
    try restored.receive(former)
    try there.receive(try restored.push())

    for device in [restored, there] { #expect(try device.the(Playlist.self).title == "renamed") }
  }

  @Test(arguments: [true, false], [true, false])
  func `a copy of earlier wins nothing over what was written since, though the clock is behind others`(
    isAhead: Bool, isSaidBefore: Bool
  ) throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let (here, there) = (try ManagedDevice("here", model), try ManagedDevice("there", model))
    // Others are a year ahead.
    there.clock.advance(31_536_000_000)
    try there.edit { try $0.insert(Track.self).title = "theirs" }
    try here.receive(try there.push())
    // The clock was ahead of itself for a moment.
    if isAhead { here.clock.advance(3_600_000) }
    let list = try here.edit { try $0.insert(Playlist.self) { $0.title = "old" } }
    if isAhead { here.clock.set(here.clock.milliseconds - 3_600_000) }
    let earlier = here.folder.file("earlier.sqlite")
    try here.context.store.newConnection().backup(to: earlier)
    var sets = isSaidBefore ? try here.push() : []
    try here.edit { _ in list.title = "new" }
    sets += try here.push()
    here.clock.advance(86_400_000)
    let copy = try ManagedDevice("copy", model, path: earlier, clock: here.clock)
    let copied = try copy.push()

    try there.receive(sets)
    try there.receive(copied)
    try copy.receive(sets)
    try here.receive(copied)

    for device in [here, there, copy] { #expect(try device.the(Playlist.self).title == "new") }
  }

  @Test func `a copy of earlier wins nothing over what another device has written since`() throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let (here, there) = (try ManagedDevice("here", model), try ManagedDevice("there", model))
    // Given an object whose identifier was made by a clock that was ahead, and said when it was not.
    here.clock.advance(3_600_000)
    try here.edit { try $0.insert(Playlist.self).title = "old" }
    here.clock.set(here.clock.milliseconds - 3_600_000)
    let earlier = here.folder.file("earlier.sqlite")
    try here.context.store.newConnection().backup(to: earlier)
    try there.receive(try here.push())
    // When another device edits it, and then a copy of before says the insertion, once the clock is past the identifier.
    try there.edit { _ in try there.the(Playlist.self).title = "new" }
    let sets = try there.push()
    here.clock.advance(86_400_000)
    let copy = try ManagedDevice("copy", model, path: earlier, clock: here.clock)
    let copied = try copy.push()
    for device in [here, copy] { try device.receive(sets) }
    for device in [here, there] { try device.receive(copied) }

    for device in [here, there, copy] { #expect(try device.the(Playlist.self).title == "new") }
  }
}
