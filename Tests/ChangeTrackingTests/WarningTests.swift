import ObjectStore
import Testing

@testable import ChangeTracking

/// Each warning in the situation in which it is documented to be given.
@Suite struct WarningTests {
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that know `p`, `q`, `boss` and the team `t` with the member `p`.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for person in ["p", "q", "boss"] { try edit.insert("Person", .text(person)) }
      try edit.insert("Team", "t")
      try edit.link("t", "p")
    }
    try there.receive(try here.push())
    there.clock.advance(1_000)
  }

  /// What a device says that has not seen the objects come.
  private func reportOfStranger(_ body: (borrowing PlainDevice.Edit) throws -> Void) throws -> ApplyReport {
    try there.edit(body)
    let stranger = try PlainDevice("stranger")
    return try stranger.receive(try there.push())
  }

  private func only(_ report: ApplyReport, _ kind: SyncWarning.Kind) throws -> SyncWarning {
    #expect(report.warnings.map(\.kind) == [kind])
    return try #require(report.warnings.first)
  }

  // MARK: The classic seven

  @Test func `1: an attribute was changed of an object that is not known`() throws {
    let report = try reportOfStranger { try $0.set("Person", "p", "name", .string("new")) }
    let warning = try only(report, .objectNotFoundForAttribute)
    #expect(warning.entity == "Person" && warning.object == "p" && warning.key == "name")
    #expect(warning.remote?.client == "there")
    #expect(try warning.remote?.author == there.replica.author)
    #expect(warning.remote?.effect == .wrote(.value(.string("new"))))
    #expect(report.parked.map(\.reason) == [.objectUnknown])
  }

  @Test func `2: a to-one relationship was changed of an object that is not known`() throws {
    let warning = try only(
      reportOfStranger { try $0.point("Person", "p", "boss", to: "boss") }, .objectNotFoundForRelationship)
    #expect(warning.object == "p" && warning.key == "boss")
    #expect(warning.remote?.effect == .wrote(.target("boss")))
  }

  @Test func `2: an object that is not known was added to a relationship of another`() throws {
    try there.edit { try $0.insert("Team", "u") }
    let warning = try only(
      reportOfStranger { try $0.link("u", "q") }, .objectNotFoundForRelationship)
    #expect(warning.entity.isEmpty, "nobody has said yet what it is")
    #expect(warning.object == "q" && warning.key == "members")
    #expect(warning.remote?.effect == .added("q"))
  }

  @Test func `3: an object that was never known was deleted`() throws {
    let warning = try only(reportOfStranger { try $0.delete("Person", "q") }, .objectNotFoundForDeletion)
    #expect(warning.object == "q" && warning.key == nil)
    #expect(warning.remote?.effect == .deleted)
    #expect(warning.local == nil)
  }

  @Test func `4: an object was deleted remotely whose attributes were changed here`() throws {
    try here.edit { try $0.set("Person", "q", "name", .string("mine")) }
    try there.edit { try $0.delete("Person", "q") }
    let report = try here.receive(try there.push())
    let warning = try only(report, .attributesOfDeletedObjectChangedHere)
    #expect(warning.object == "q" && warning.key == "name")
    #expect(warning.local?.client == "here")
    #expect(warning.local?.effect == .wrote(.value(.string("mine"))))
    #expect(warning.remote?.client == "there")
    #expect(report.overridden.map(\.lost) == [warning.local])
    #expect(report.overridden.map(\.kept) == [warning.remote])
  }

  @Test func `5: an object was deleted remotely whose to-one relationship was changed here`() throws {
    try here.edit { try $0.point("Person", "q", "boss", to: "boss") }
    try there.edit { try $0.delete("Person", "q") }
    let warning = try only(here.receive(try there.push()), .relationshipsOfDeletedObjectChangedHere)
    #expect(warning.object == "q" && warning.key == "boss")
    #expect(warning.local?.effect == .wrote(.target("boss")))
  }

  @Test
  func
    `5: an object was deleted remotely that was added to a relationship here, or whose members were changed`()
    throws
  {
    try here.edit { try $0.link("t", "q") }
    try there.edit { edit in
      try edit.delete("Person", "q")
      try edit.delete("Team", "t")
    }
    let report = try here.receive(try there.push())
    #expect(Set(report.warnings.map(\.kind)) == [.relationshipsOfDeletedObjectChangedHere])
    #expect(Set(report.warnings.compactMap(\.object)) == ["q", "t"])
    #expect(Set(report.warnings.compactMap(\.local?.effect)) == [.added("t"), .added("q")])
  }

  @Test func `6: attributes were changed remotely of an object that was deleted here`() throws {
    try here.edit { try $0.delete("Person", "q") }
    try there.edit { try $0.set("Person", "q", "age", .integer(4)) }
    let report = try here.receive(try there.push())
    let warning = try only(report, .attributesOfObjectDeletedHereChanged)
    #expect(warning.object == "q" && warning.key == "age")
    #expect(warning.local?.effect == .deleted)
    #expect(warning.local?.client == "here")
    #expect(warning.remote?.effect == .wrote(.value(.integer(4))))
    #expect(report.overridden.map(\.lost) == [warning.remote])
  }

  @Test func `7: relationships were changed remotely of an object that was deleted here`() throws {
    try here.edit { edit in
      try edit.delete("Person", "q")
      try edit.delete("Team", "t")
    }
    try there.edit { edit in
      try edit.point("Person", "q", "boss", to: "boss")
      try edit.link("t", "boss")
    }
    let report = try here.receive(try there.push())
    #expect(Set(report.warnings.map(\.kind)) == [.relationshipsOfObjectDeletedHereChanged])
    #expect(report.warnings.compactMap(\.object) == ["q", "t"])
    #expect(report.warnings.compactMap(\.key) == ["boss", "members"])
  }

  // MARK: Further ones

  @Test func `a relationship to an object that is not there waits, and the report says for what`() throws {
    try here.edit { try $0.delete("Person", "boss") }
    try here.push()
    try there.edit { try $0.point("Person", "q", "boss", to: "boss") }
    let report = try here.receive(try there.push())
    let warning = try only(report, .parked)
    #expect(warning.object == "q" && warning.key == "boss" && warning.client == "there")
    #expect(report.parked.map(\.reason) == [.targetMissing])
    #expect(report.parked.first?.written.effect == .wrote(.target("boss")))
  }

  @Test func `of two claims the report tells the one that waits, whoever made it`() throws {
    try here.edit { try $0.point("Person", "p", "partner", to: "boss") }
    try there.edit { try $0.point("Person", "q", "partner", to: "boss") }
    let late = try there.push()
    let early = try here.push()
    for (device, sets) in [(here, late), (there, early)] {
      let report = try device.receive(sets)
      #expect(report.parked.map(\.object) == ["p"])
      #expect(report.parked.map(\.reason) == [.claimedByAnother])
      #expect(report.parked.map(\.written.client) == ["here"])
    }
  }

  @Test func `what waited and shows by the end of the merge is not reported`() throws {
    try there.edit { edit in
      try edit.insert("Person", "a")
      try edit.insert("Person", "z")
      try edit.point("Person", "a", "boss", to: "z")
    }
    let report = try here.receive(try there.push())
    #expect(report.parked.isEmpty)
    #expect(report.warnings.isEmpty)
  }

  @Test func `what the model does not know is kept and told`() throws {
    try there.edit { try $0.set("Person", "q", "name", .string("new")) }
    var sets = try there.push()
    sets[0].set.entities[0].properties[0].name = "nickname"
    let report = try here.receive(sets)
    let warning = try only(report, .unknownToModel)
    #expect(warning.key == "nickname")
    #expect(warning.remote?.effect == .wrote(.value(.string("new"))))
    #expect(report.parked.map(\.reason) == [.unknownToModel])
  }

  @Test(arguments: [
    Change.Action.update([Register(property: 0, content: .target("q"))]), .link(property: 0, target: "q"),
    .unlink(property: 0, target: "q"), .place(property: 0, target: "q", isInverse: false, bytes: [1]),
    .update([Register(property: 1, content: .value(.integer(1)))]),
    .contribute(property: 1, value: .integer(1), origin: nil),
  ])
  func `a change that does not fit its property is left out and told`(action: Change.Action) throws {
    try there.edit { edit in
      try edit.set("Person", "q", "name", .string("new"))
      try edit.point("Person", "q", "boss", to: "boss")
    }
    var sets = try there.push()
    #expect(sets[0].set.entities[0].properties.map(\.name) == ["name", "boss"])
    sets[0].set.changes[0].action = action
    sets[0].set.changes.removeLast(sets[0].set.changes.count - 1)
    let before = try here.store.contents()

    let report = try here.receive(sets)

    let warning = try only(report, .skipped)
    #expect(warning.object == "q" && warning.client == "there")
    #expect(report.effective == 0)
    #expect(try here.store.contents() == before)
  }

  @Test func `a clock ahead of this one is told with the client`() throws {
    there.clock.advance(2 * 3_600_000)
    try there.edit { try $0.set("Person", "q", "name", .string("new")) }
    #expect(try only(here.receive(try there.push()), .clockAhead).client == "there")
  }

  @Test(arguments: [true, false])
  func `of sets that follow a clock which was wrong only the first is told of`(isAtOnce: Bool) throws {
    let third = try PlainDevice("third")
    there.clock.advance(1_000 * 24 * 3_600_000)
    try there.edit { try $0.set("Person", "q", "name", .string("new")) }
    let wrong = try there.push()
    try third.receive(wrong)
    try third.edit { try $0.insert("Person", "r") }
    let following = try third.push()

    let reports =
      try isAtOnce
      ? [here.receive(following + wrong)] : [here.receive(wrong), here.receive(following)]

    let warnings = reports.flatMap(\.warnings)
    #expect(warnings.map(\.kind) == [.clockAhead] && warnings.first?.client == "there")
  }

  @Test func `a store that goes on under a new author tells once that it has said its changes again`() throws
  {
    try here.edit { try $0.set("Person", "q", "name", .string("mine")) }
    try here.replica.freeze()
    try here.replica.beginNewIncarnation()
    #expect(try only(here.receive([]), .restamped).client == "here")
    #expect(try here.receive([]).warnings.isEmpty)
  }

  // MARK: In words

  @Test func `a report says in words what came and what was overruled, and shows no values`() throws {
    try here.edit { edit in
      try edit.set("Person", "p", "name", .string("secret of mine"))
      try edit.set("Person", "q", "name", .string("another secret"))
    }
    try there.edit { edit in
      try edit.set("Person", "p", "name", .string("secret of theirs"))
      try edit.delete("Person", "q")
    }
    let report = try here.receive(try there.push())
    #expect(
      report.description == """
        2 of 2 changes in 1 sets took effect.
        Person p name: here and there wrote different values; that of there remains.
        Person q name: there deleted the object, so the attribute changed here is gone with it.
        """)
    #expect(report.overridden.map(\.lost.client) == ["here", "here"])
    #expect(report.overridden.map(\.kept.client) == ["there", "there"])
  }

  @Test(arguments: SyncWarning.Kind.allCases)
  func `every warning has words of its own that name the client`(kind: SyncWarning.Kind) {
    let warning = SyncWarning(kind: kind, entity: "Person", object: "p", key: "name", client: "there")
    #expect(warning.description.hasPrefix("Person p name: "))
    #expect(warning.description.contains("there"))
  }
}
