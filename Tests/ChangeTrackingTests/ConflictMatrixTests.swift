import ObjectStore
import Simulation
import Testing

@testable import ChangeTracking

/// What one of two devices may do to a person `p`, which both know unless the action inserts it.
enum Deed: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case insert, attribute, toOne, toManyAdd, toManyRemove, delete
  case moveMember, moveTeam, moveReport, count, raise, group

  var testDescription: String { rawValue }

  func perform(on device: PlainDevice, _ mark: String) throws {
    try device.edit { edit in
      switch self {
      case .insert: try edit.insert("Person", "p", ["name": .string(mark)])
      case .attribute: try edit.set("Person", "p", "name", .string(mark))
      case .toOne: try edit.point("Person", "p", "boss", to: .text("boss-\(mark)"))
      case .toManyAdd: try edit.link("added", "p")
      case .toManyRemove: try edit.link("removed", "p", added: false)
      case .delete: try edit.delete("Person", "p")
      case .moveMember: try edit.moveToFront("p", in: .members, of: "removed")
      case .moveTeam: try edit.moveToFront("removed", in: .teams, of: "p")
      case .moveReport: try edit.moveToFront("p", in: .reports, of: "chief")
      case .count:
        try edit.set(
          "Person", "p", "score", .integer(try device.score(of: "p") + (mark == "here" ? 1 : 10)))
      case .raise: try edit.set("Person", "p", "best", .integer(mark == "here" ? 7 : 8))
      case .group: try edit.set("Person", "p", mark == "here" ? "start" : "end", .integer(3))
      }
    }
  }

  /// Whether the deed needs `p` to exist before.
  var needsObject: Bool { self != .insert }
}

@Suite struct ConflictMatrixTests {
  struct Pair: CustomTestStringConvertible, Sendable {
    var local: Deed
    var remote: Deed
    var localIsLater: Bool

    var testDescription: String { "\(local) here, \(remote) there, \(localIsLater ? "here" : "there") later" }
  }

  static let pairs = Deed.allCases.flatMap { local in
    Deed.allCases.flatMap { remote in
      [true, false].map { Pair(local: local, remote: remote, localIsLater: $0) }
    }
  }

  @Test(arguments: pairs)
  func `two devices agree after each pair of deeds, and show what the plain rules say`(pair: Pair) throws {
    // Given two devices that know the same objects, among them `p` where a deed needs it.
    let here = try PlainDevice("here", clock: TestClock(1_700_000_000_000))
    let there = try PlainDevice("there", clock: TestClock(1_700_000_000_000))
    try here.edit { edit in
      for boss in ["here", "there"] { try edit.insert("Person", .text("boss-\(boss)"), [:]) }
      for team in ["added", "removed"] { try edit.insert("Team", .text(team), [:]) }
      for person in ["chief", "q"] { try edit.insert("Person", .text(person), [:]) }
      try edit.link("added", "q")
      try edit.link("removed", "q")
      try edit.point("Person", "q", "boss", to: "chief")
      if pair.local.needsObject || pair.remote.needsObject {
        try edit.insert("Person", "p", ["name": .string("before"), "start": .integer(1), "end": .integer(2)])
        try edit.link("removed", "p")
        try edit.point("Person", "p", "boss", to: "chief")
      }
    }
    // An insertion beside a deed that needs the object comes from a device that had deleted it before.
    try there.receive(try here.push())
    let early = pair.localIsLater ? there : here
    let late = pair.localIsLater ? here : there
    early.clock.advance(1_000)
    late.clock.advance(2_000)

    // When both act without knowing of each other.
    for (device, deed, mark) in [(here, pair.local, "here"), (there, pair.remote, "there")] {
      if deed == .insert, try device.row("Person", "p") != nil {
        try device.edit { try $0.delete("Person", "p") }
      }
      try deed.perform(on: device, mark)
    }
    let hereSets = try here.push()
    let thereSets = try there.push()
    try here.receive(thereSets)
    try there.receive(hereSets)

    // Then they show the same, and it is what the plain rules say.
    let contents = try here.store.contents()
    #expect(try there.store.contents() == contents)
    #expect(
      contents
        == ReferenceState((here.pushed + there.pushed).map(\.set), schema: here.store.schema).contents())
  }

  @Test(arguments: [true, false])
  func `of two values of one attribute the later shows`(localIsLater: Bool) throws {
    let pair = Pair(local: .attribute, remote: .attribute, localIsLater: localIsLater)
    let (here, _) = try outcome(of: pair)
    #expect(
      try here.store.contents().contains { $0.contains("“\(localIsLater ? "here" : "there")”") })
  }

  @Test(arguments: [Deed.attribute, .toOne, .toManyAdd, .toManyRemove], [true, false])
  func `a deletion beats an edit, even a later one`(edit: Deed, deletionIsHere: Bool) throws {
    for localIsLater in [true, false] {
      let pair = Pair(
        local: deletionIsHere ? .delete : edit, remote: deletionIsHere ? edit : .delete,
        localIsLater: localIsLater)
      let (here, there) = try outcome(of: pair)
      #expect(try here.row("Person", "p") == nil)
      #expect(try there.row("Person", "p") == nil)
    }
  }

  private func outcome(of pair: Pair) throws -> (here: PlainDevice, there: PlainDevice) {
    let here = try PlainDevice("here")
    let there = try PlainDevice("there")
    try here.edit { edit in
      try edit.insert("Person", "p", ["name": .string("before")])
      try edit.insert("Person", "boss-here", [:])
      try edit.insert("Person", "boss-there", [:])
      try edit.insert("Team", "added", [:])
      try edit.insert("Team", "removed", [:])
      try edit.link("removed", "p")
    }
    try there.receive(try here.push())
    (pair.localIsLater ? here : there).clock.advance(9_000)
    try pair.local.perform(on: here, "here")
    try pair.remote.perform(on: there, "there")
    let hereSets = try here.push()
    let thereSets = try there.push()
    try here.receive(thereSets)
    try there.receive(hereSets)
    return (here, there)
  }
}
