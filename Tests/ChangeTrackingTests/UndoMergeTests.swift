import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct UndoMergeTests {
  let here: PlainDevice
  let there: PlainDevice

  /// Two devices that agree on some people, a team and their relationships.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try here.edit { edit in
      for name in ["a", "b", "c"] { try edit.insert("Person", .text(name), ["name": .string(name)]) }
      try edit.insert("Team", "t", ["title": .string("T")])
      for name in ["a", "b"] { try edit.link("t", .text(name)) }
      try edit.point("Person", "a", "boss", to: "c")
      try edit.point("Person", "a", "partner", to: "b")
    }
    try there.receive(try here.push())
  }

  /// Merges what there was done elsewhere, and says how to take it back.
  private func merge() throws -> MergeInverse {
    let outcome = try here.replica.apply(
      try there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { return MergeInverse() }
    let inverse = try #require(report.inverse)
    // As it comes out of a file.
    return try PropertyListDecoder().decode(MergeInverse.self, from: PropertyListEncoder().encode(inverse))
  }

  private func undo(_ inverse: MergeInverse) throws -> UndoReport {
    try here.replica.undo(inverse)
  }

  private func exchange() throws {
    let mine = try here.push()
    try here.receive(try there.push())
    try there.receive(mine)
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `everything that a merge changed is taken back, everywhere`() throws {
    let before = try here.store.contents()
    there.clock.advance(60_000)
    try there.edit { edit in
      try edit.set("Person", "a", "name", .string("changed"))
      try edit.set("Person", "a", "age", .integer(7))
      try edit.point("Person", "a", "boss", to: "b")
      try edit.delete("Person", "c")
      try edit.insert("Person", "new", ["name": .string("new")])
      try edit.point("Person", "b", "boss", to: "new")
      try edit.link("t", "a", added: false)
      try edit.link("t", "new")
    }

    let inverse = try merge()
    #expect(try here.store.contents() == there.store.contents())
    let report = try undo(inverse)

    #expect(report.kept.isEmpty)
    #expect(report.objects == inverse.objectCount)
    #expect(try here.store.contents() == before)
    try exchange()
    #expect(try there.store.contents() == before)
  }

  @Test func `an object that a merge deleted comes back with its relationships in both directions`() throws {
    let before = try here.store.contents()
    try there.edit { edit in
      try edit.delete("Team", "t")
      try edit.delete("Person", "a")
    }
    let inverse = try merge()
    _ = try undo(inverse)
    #expect(try here.store.contents() == before)
    try exchange()
  }

  @Test func `what was changed again since stays as it is, and is told`() throws {
    try there.edit { edit in
      try edit.set("Person", "a", "name", .string("theirs"))
      try edit.set("Person", "a", "age", .integer(7))
      try edit.insert("Person", "new")
    }
    let inverse = try merge()
    try here.edit { edit in
      try edit.set("Person", "a", "name", .string("mine, later"))
      try edit.set("Person", "new", "name", .string("wanted"))
    }

    let report = try undo(inverse)

    #expect(report.objects == 1)
    #expect(Set(report.kept.map(\.object)) == ["a", "new"])
    #expect(report.kept.first { $0.object == "a" }?.key == "name")
    let person = try #require(try here.store.contents().first { $0.hasPrefix("Person a") })
    #expect(person.contains("mine, later") && !person.contains("age"))
    try exchange()
  }

  @Test func `links are taken back one by one, whatever became of others of the same object`() throws {
    there.clock.advance(60_000)
    try there.edit { edit in
      try edit.link("t", "a", added: false)
      try edit.insert("Person", "new", ["name": .string("new")])
      try edit.link("t", "new")
    }
    let inverse = try merge()
    try here.edit { edit in
      try edit.insert("Person", "mine", ["name": .string("mine")])
      try edit.link("t", "mine")
    }

    let report = try undo(inverse)

    #expect(report.kept.isEmpty, "\(report.kept)")
    let team = try #require(try here.store.contents().first { $0.hasPrefix("Team t") })
    #expect(
      team.contains("a") && team.contains("b") && team.contains("mine") && !team.contains("new"), "\(team)")
    try exchange()
  }

  @Test func `undoing the same merge twice changes nothing the second time`() throws {
    try there.edit { edit in
      try edit.set("Person", "a", "name", .string("theirs"))
      try edit.delete("Person", "b")
      try edit.insert("Person", "new")
    }
    let inverse = try merge()
    #expect(try undo(inverse).kept.isEmpty)
    let once = try here.store.contents()

    let again = try undo(inverse)

    #expect(again.objects == 0)
    #expect(try here.store.contents() == once)
    try exchange()
  }

  @Test func `a merge that changed nothing has nothing to take back`() throws {
    try there.edit { try $0.set("Person", "a", "name", .string("old")) }
    here.clock.advance(60_000)
    try here.edit { try $0.set("Person", "a", "name", .string("newer")) }
    #expect(try merge().isEmpty)
  }

  @Test func `a target that another object has claimed since is not taken from it`() throws {
    try there.edit { try $0.point("Person", "a", "partner", to: nil) }
    let inverse = try merge()
    try here.edit { try $0.point("Person", "c", "partner", to: "b") }
    let claimed = try here.store.contents()

    let report = try undo(inverse)

    #expect(report.kept.map(\.key) == ["partner"])
    #expect(try here.store.contents() == claimed)
    try exchange()
  }
}
