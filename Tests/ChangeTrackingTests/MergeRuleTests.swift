import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct MergeRuleTests {
  /// Two devices of which the second has seen nothing yet.
  let here: PlainDevice
  let there: PlainDevice

  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
  }

  private func person(_ name: String, on device: PlainDevice) throws -> String? {
    try device.store.contents().first { $0 == "Person \(name)" || $0.hasPrefix("Person \(name) ") }
  }

  @Test func `an object inserted twice under one identifier is one object`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("A")]) }
    there.clock.advance(1_000)
    try there.edit { try $0.insert("Person", "p", ["age": .integer(3)]) }
    let first = try here.push()
    let second = try there.push()

    try here.receive(second)
    try there.receive(first)

    #expect(try person("p", on: here) == #"Person p name=“A” age=3"#)
    #expect(try person("p", on: there) == person("p", on: here))
  }

  @Test func `an update that comes before its insertion waits for it`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("A")]) }
    let insertion = try here.push()
    let middle = try PlainDevice("middle")
    try middle.receive(insertion)
    try middle.edit { try $0.set("Person", "p", "name", .string("B")) }
    let update = try middle.push()

    let report = try there.receive(update)
    #expect(try person("p", on: there) == nil)
    #expect(report.warnings.map(\.kind) == [.objectNotFoundForAttribute])

    try there.receive(insertion)
    #expect(try person("p", on: there) == #"Person p name=“B”"#)
  }

  @Test func `a deletion that comes before its insertion prevents it`() throws {
    try here.edit { try $0.insert("Person", "p") }
    let insertion = try here.push()
    try here.edit { try $0.delete("Person", "p") }
    let deletion = try here.push()
    let third = try PlainDevice("third")
    try third.receive(insertion)
    try third.edit { try $0.delete("Person", "p") }

    let report = try there.receive(try third.push())
    try there.receive(insertion + deletion)

    #expect(report.warnings.map(\.kind) == [.objectNotFoundForDeletion])
    #expect(try person("p", on: there) == nil)
  }

  @Test func `a relationship whose target has not come yet shows when it comes`() throws {
    try here.edit { try $0.insert("Person", "boss") }
    let target = try here.push()
    let middle = try PlainDevice("middle")
    try middle.receive(target)
    try middle.edit {
      try $0.insert("Person", "p")
      try $0.point("Person", "p", "boss", to: "boss")
      try $0.insert("Team", "t")
      try $0.link("t", "boss")
    }

    try there.receive(try middle.push())
    #expect(try there.store.contents() == ["Person p", "Team t"])
    #expect(try there.replica.status().parked == 1)

    try there.receive(target)
    #expect(try there.store.contents() == middle.store.contents())
    #expect(try there.replica.status().parked == 0)
  }

  @Test func `an insertion after a deletion brings the object back without its old values`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("old"), "age": .integer(1)]) }
    try there.receive(try here.push())
    try here.edit { try $0.delete("Person", "p") }
    try here.edit { try $0.insert("Person", "p", ["name": .string("new")]) }

    try there.receive(try here.push())

    #expect(try person("p", on: there) == #"Person p name=“new”"#)
  }

  @Test func `an attribute edit never resurrects a deleted object`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("A")]) }
    try there.receive(try here.push())
    try here.edit { try $0.delete("Person", "p") }
    there.clock.advance(86_400_000)
    try there.edit { try $0.set("Person", "p", "name", .string("later")) }
    let edit = try there.push()

    let report = try there.receive(try here.push())
    try here.receive(edit)

    #expect(try person("p", on: here) == nil)
    #expect(try person("p", on: there) == nil)
    #expect(report.warnings.isEmpty, "the edit had been pushed, so nothing pending was lost here")
  }

  @Test func `of two claims on one partner the later shows, and the other when it goes`() throws {
    try here.edit {
      for name in ["a", "b", "target"] { try $0.insert("Person", .text(name)) }
    }
    try there.receive(try here.push())
    try here.edit { try $0.point("Person", "a", "partner", to: "target") }
    there.clock.advance(1_000)
    try there.edit { try $0.point("Person", "b", "partner", to: "target") }
    let first = try here.push()
    try here.receive(try there.push())
    try there.receive(first)
    #expect(try person("b", on: here)?.hasSuffix("partner→target") == true)
    #expect(try person("a", on: here)?.contains("partner") == false)
    #expect(try here.store.contents() == there.store.contents())

    try there.edit { try $0.delete("Person", "b") }
    try here.receive(try there.push())

    #expect(try person("a", on: here)?.hasSuffix("partner→target") == true)
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["c", "a", "b"], ["b", "c", "a"]] as [[SyncID]])
  func `claims on one partner show one after the other as their holders go, in whatever order they came`(
    arrivals: [SyncID]
  ) throws {
    let claimants: [SyncID] = ["a", "b", "c", "d"]
    try here.edit {
      for name in claimants + ["target"] { try $0.insert("Person", name) }
    }
    try there.receive(try here.push())
    for name in arrivals {
      // Each of them in a copy that knows of no other claim, so that none takes the target from another.
      let other = try PlainDevice("other \(name)")
      try other.receive(here.pushed)
      other.clock.advance(claimants.firstIndex(of: name).map { UInt64($0 + 1) * 1_000 } ?? 0)
      try other.edit { try $0.point("Person", name, "partner", to: "target") }
      let sets = try other.push()
      try here.receive(sets)
      try there.receive(sets)
    }
    #expect(try person("c", on: here)?.hasSuffix("partner→target") == true)

    here.clock.advance(60_000)
    try here.edit { try $0.delete("Person", "c") }
    try there.receive(try here.push())
    for device in [here, there] {
      #expect(try person("b", on: device)?.hasSuffix("partner→target") == true)
    }

    there.clock.advance(120_000)
    try there.edit { try $0.point("Person", "b", "partner", to: "d") }
    try here.receive(try there.push())
    for device in [here, there] {
      #expect(try person("a", on: device)?.hasSuffix("partner→target") == true)
    }
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `a cascade beats children that were added meanwhile to what it deleted`() throws {
    try here.edit { try $0.insert("Team", "t") }
    try there.receive(try here.push())
    try here.edit { try $0.delete("Team", "t") }
    there.clock.advance(5_000)
    try there.edit {
      try $0.insert("Person", "child")
      try $0.link("t", "child")
    }
    let addition = try there.push()

    try there.receive(try here.push())
    try here.receive(addition)

    #expect(try here.store.contents() == ["Person child"])
    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a clock ten years ahead neither wins for ever nor breaks the order of causes`() throws {
    here.clock.advance(315_360_000_000)
    try here.edit { try $0.insert("Person", "p", ["name": .string("from the future")]) }
    let report = try there.receive(try here.push())
    #expect(report.warnings.map(\.kind) == [.clockAhead])

    try there.edit { try $0.set("Person", "p", "name", .string("its effect")) }
    try here.receive(try there.push())

    #expect(try person("p", on: here) == #"Person p name=“its effect”"#)
  }

  @Test func `several saves of one register make one change`() throws {
    try here.edit { try $0.insert("Person", "p") }
    try here.push()
    for age in 1...5 { try here.edit { try $0.set("Person", "p", "age", .integer(Int64(age))) } }

    let sets = try here.push()

    #expect(sets.count == 1)
    #expect(sets.first?.set.syncChanges.map(\.value) == [.integer(5)])
  }

  @Test func `of an object that came and went between two sets nothing but the deletion is said`() throws {
    let id = SyncID.uuid(0x0123_4567_89ab_7def, 0x8123_4567_89ab_cdef)
    try here.edit { try $0.insert("Person", id) }
    try here.edit { try $0.delete("Person", id) }
    #expect(try here.push().flatMap(\.set.changes).map(\.action) == [.delete])
  }

  @Test func `a set that was applied before has no effect`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("A")]) }
    let sets = try here.push()
    try there.receive(sets)
    try there.edit { try $0.set("Person", "p", "name", .string("B")) }

    let report = try there.receive(sets)

    #expect(report.effective == 0)
    #expect(try person("p", on: there) == #"Person p name=“B”"#)
  }

  @Test func `a set that comes again between others makes no gap`() throws {
    for name in ["p", "q", "r"] as [SyncID] {
      try here.edit { try $0.insert("Person", name) }
      try here.push()
    }
    let sets = here.pushed
    try #require(sets.count == 3)

    try there.receive([sets[0], sets[1], sets[0], sets[2]])

    #expect(try there.store.contents() == here.store.contents())
  }

  @Test func `a set that follows a gap is refused and changes nothing`() throws {
    try here.edit { try $0.insert("Person", "p") }
    try here.push()
    try here.edit { try $0.insert("Person", "q") }
    let second = try here.push()

    let error = #expect(throws: ReplicaError.self) { try there.receive(second) }

    #expect(error?.code == .outOfOrder)
    #expect(try there.store.contents().isEmpty)
    #expect(try there.replica.vector() == VersionVector())
  }

  @Test func `merging is not recorded as a change of one's own`() throws {
    try here.edit { try $0.insert("Person", "p", ["name": .string("A")]) }
    try there.receive(try here.push())
    #expect(try there.push().isEmpty)
  }

  @Test func `what was merged is announced, row by row`() throws {
    try here.edit { try $0.insert("Person", "p") }
    try there.receive(try here.push())
    let row = try #require(try there.row("Person", "p"))
    #expect(there.store.announced.last?.inserted == [RowReference(entity: PlainStore.person, row: row)])
  }

  @Test func `what came and went between two sets is said if others may know it by its natural key`() throws {
    // Given one device that has a team, and another that later makes and deletes the team of the same key.
    let team = SyncID(naturalKey: NaturalKey([.string("red")]), of: "Team")
    try there.edit { try $0.insert("Team", team, ["title": .string("red")]) }
    here.clock.advance(1_000)
    try here.edit { try $0.insert("Team", team, ["title": .string("red")]) }
    here.clock.advance(1_000)
    try here.edit { try $0.delete("Team", team) }

    let theirs = try there.push()
    try there.receive(try here.push())
    try here.receive(theirs)

    #expect(try there.store.contents() == [])
    #expect(try here.store.contents() == [])
  }
}
