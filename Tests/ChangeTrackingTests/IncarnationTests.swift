import Foundation
import ObjectStore
import TICDSSQLite
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Stores that go on from an old copy, and stores that go on twice.
@Suite struct IncarnationTests {
  let folder: TemporaryFolder
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that know `p`.
  init() throws {
    folder = try TemporaryFolder()
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { try $0.insert("Person", "p", ["name": .string("before")]) }
    try there.receive(try here.push())
  }

  /// A copy of the store as it is now.
  private func copy(of device: PlainDevice, as client: String, seed: UInt64 = 0) throws -> PlainDevice {
    let path = folder.file("\(client)-\(seed).sqlite")
    try device.store.connection.run("VACUUM INTO ?", .text(path))
    return try PlainDevice(client, path: path, clock: device.clock, seed: seed)
  }

  private func contents(_ devices: [PlainDevice]) throws -> Set<[String]> {
    Set(try devices.map { try $0.store.contents() })
  }

  @Test
  func `a store restored from an old copy gets back what it had written, and what it writes anew counts`()
    throws
  {
    // Given an old copy, and work that was pushed after it was made.
    let restored = try copy(of: here, as: "here", seed: 1)
    here.clock.advance(1_000)
    try here.edit { edit in
      try edit.set("Person", "p", "name", .string("lost with the device"))
      try edit.insert("Person", "q")
    }
    let former = try here.push()
    try there.receive(former)
    // When the copy takes the store's place, works, and finds a set of its own author that it did not make.
    restored.clock.advance(1_000)
    try restored.edit { try $0.set("Person", "p", "age", .integer(7)) }
    let stranger = try #require(former.first)
    #expect(
      try !restored.replica.knows(stranger.hash, of: stranger.set.author, sequence: stranger.set.sequence))
    let formerAuthor = try restored.replica.author
    try restored.replica.beginNewIncarnation()
    try restored.receive(former)
    let anew = try restored.push()
    try there.receive(anew)
    // Then nothing is lost and both agree.
    #expect(try restored.replica.author > formerAuthor)
    #expect(anew.allSatisfy { $0.set.author != formerAuthor })
    #expect(try contents([restored, there]).count == 1)
    #expect(
      try there.store.contents() == [
        #"Person p name=“lost with the device” age=7"#, "Person q",
      ])
  }

  @Test(arguments: [true, false])
  func `one store living on as two copies loses nothing of either, whichever set comes first`(
    copyComesFirst: Bool
  ) throws {
    // Given work that is in a set but not pushed when the store is copied.
    try here.edit { try $0.insert("Person", "common", ["name": .string("both have it")]) }
    try here.replica.freeze()
    let copy = try copy(of: here, as: "copy")
    // When both go on, and the copy finds that out.
    here.clock.advance(1_000)
    try here.edit { try $0.set("Person", "p", "name", .string("of the original")) }
    let original = try here.push()
    copy.clock.advance(1_000)
    try copy.edit { try $0.set("Person", "p", "age", .integer(3)) }
    try copy.replica.beginNewIncarnation()
    let copied = try copy.push()
    try copy.receive(original)
    try here.receive(copied)
    for sets in copyComesFirst ? [copied, original] : [original, copied] { try there.receive(sets) }
    // Then all three agree, and have the work of both.
    #expect(try contents([here, copy, there]).count == 1)
    let shown = try there.store.contents()
    #expect(shown.contains(#"Person p name=“of the original” age=3"#))
    #expect(shown.contains(#"Person common name=“both have it”"#))
    #expect(try here.replica.author != copy.replica.author)
  }

  @Test func `two copies that have pushed under one author before either knew are merged set for set`() throws
  {
    let copy = try copy(of: here, as: "copy")
    here.clock.advance(1_000)
    try here.edit { try $0.set("Person", "p", "name", .string("one")) }
    try copy.edit { try $0.set("Person", "p", "name", .string("two")) }
    let one = try here.push()
    let two = try copy.push()
    #expect(one.map(\.set.author) == two.map(\.set.author))
    #expect(one.map(\.set.sequence) == two.map(\.set.sequence))

    try there.receive(one)
    try there.receive(two)
    let late = try PlainDevice("late")
    try late.receive(there.pushed + here.pushed.dropLast(one.count) + two + one)
    try copy.replica.beginNewIncarnation()
    try copy.receive(one)
    try here.replica.beginNewIncarnation()
    try here.receive(two)

    #expect(try contents([here, copy, there, late]).count == 1)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func
    `what is said again for a lost author is the same for all, also against what was written at the same moment`(
      seed: UInt64
    ) throws
  {
    // Given a set that only two have, and one of the same time that all have.
    let lost = try PlainDevice("lost", seed: seed)
    let restating = try PlainDevice("restating", seed: seed)
    let alsoHas = try PlainDevice("also has it", seed: seed)
    for device in [lost, restating, alsoHas] { try device.receive(here.pushed) }
    try lost.edit { try $0.set("Person", "p", "name", .string("lost")) }
    try there.edit { try $0.set("Person", "p", "name", .string("of the same time")) }
    let (sets, others) = (try lost.push(), try there.push())
    try #require(sets.last?.set.changes.map(\.time) == others.last?.set.changes.map(\.time))
    for device in [restating, alsoHas] { try device.receive(sets) }
    for device in [restating, alsoHas, here] { try device.receive(others) }
    // When one of the two says again what was in it.
    try restating.replica.restate(.others([lost.replica.author])) { _ in }
    let again = try restating.push()
    for device in [alsoHas, here, there] { try device.receive(again) }

    #expect(try contents([restating, alsoHas, here, there]).count == 1)
  }

  @Test func `of a save that was pushed in part, a new incarnation says the rest`() throws {
    // Given a save too great for one set, whose first set is pushed: the others bear the same time.
    let here = try PlainDevice("great", setLimit: 2)
    try here.edit { edit in
      for name in ["a", "b", "c", "d"] { try edit.insert("Person", .text(name)) }
      try edit.insert("Team", "t")
    }
    try here.replica.freeze()
    let sets = try here.replica.outbox()
    try #require(sets.count > 1)
    let first = ReceivedSet(set: try CompactCodec.decode(sets[0].bytes), hash: sets[0].hash)
    try here.replica.acknowledge(through: sets[0].sequence)

    try here.replica.beginNewIncarnation()
    let late = try PlainDevice("late")
    try late.receive([first] + here.push())

    #expect(try late.store.contents() == here.store.contents())
    #expect(try late.store.contents().count == 5)
  }

  @Test func `a new incarnation does not bring up a link whose removal others have forgotten`() throws {
    // Given a link, the last thing that was pushed, which somebody has removed since, and who has forgotten that.
    try here.edit { try $0.insert("Team", "t") }
    try there.receive(try here.push())
    here.clock.advance(1_000)
    try here.edit { try $0.link("t", "p") }
    try there.receive(try here.push())
    try there.edit { try $0.link("t", "p", added: false) }
    try here.receive(try there.push())
    let all = Horizon(positions: [try here.replica.position(), try there.replica.position()])
    try #require(try there.replica.collectTombstones(below: all).links == 1)
    // When the first device, which remembers it, goes on as somebody else.
    try here.edit { try $0.set("Person", "p", "age", .integer(1)) }
    try here.replica.freeze()
    try here.replica.beginNewIncarnation()
    try there.receive(try here.push())
    // Then the link stays away.
    #expect(try there.store.contents() == here.store.contents())
    #expect(try there.store.contents().contains("Team t"))
  }

  @Test func `what is written after a new incarnation is not told under an earlier time`() throws {
    try here.edit { try $0.set("Person", "p", "name", .string("earlier")) }
    try here.replica.beginNewIncarnation()
    here.clock.advance(1_000)
    try here.edit { try $0.set("Person", "p", "name", .string("later")) }

    let said = try here.push().flatMap(\.set.changes).flatMap { change -> [(LogicalTime, Register.Content)] in
      guard case .update(let registers) = change.action else { return [] }
      return registers.map { (change.time, $0.content) }
    }

    let names: [Register.Content] = [.value(.string("earlier")), .value(.string("later"))]
    #expect(said.map(\.1) == names, "\(said)")
    #expect(said.first.map(\.0) ?? .zero < said.last.map(\.0) ?? .zero)
  }

  @Test func `a store may change its author two hundred times, each time to a greater one`() throws {
    var author = try here.replica.author
    for generation in 1...200 {
      // The same instant: the author alone decides.
      try here.replica.beginNewIncarnation()
      let next = try here.replica.author
      #expect(next > author)
      author = next
      if generation % 50 == 0 {
        here.clock.advance(1)
        try here.edit { try $0.set("Person", "p", "name", .string("\(generation)")) }
        try there.receive(try here.push())
        #expect(try there.store.contents() == here.store.contents())
      }
    }
  }
}
