import ObjectStore
import Testing

@testable import ChangeTracking

final class Postcard: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var text: String?
  @Attribute var place: String?
  @Attribute(userInfo: .merging(.counter)) var stamps: Int64 = 0
  @ToOne var answered: Postcard?
}

/// Edits that are not saved when a merge comes: the context's policy decides, and the next report tells.
@Suite struct UnsavedEditTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that have the same card.
  init() throws {
    let model = try ManagedObjectModel(Postcard.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { try $0.insert(Postcard.self) { $0.text = "before" } }
    try ManagedDevice.exchange(here, there)
  }

  /// Edits here, and merges what is done there before the edit is saved.
  private func meet(
    _ policy: MergePolicy, _ mine: (Postcard) throws -> Void, _ theirs: (Postcard) throws -> Void
  )
    throws
  {
    here.context.mergePolicy = policy
    try mine(here.the(Postcard.self))
    there.clock.advance(60_000)
    try there.edit { _ in try theirs(there.the(Postcard.self)) }
    try here.receive(there.push())
  }

  @Test(arguments: [
    (MergePolicy.objectWins, Conflict.Outcome.local, "mine"), (.storeWins, .remote, "theirs"),
    (.rollback, .remote, "theirs"),
  ])
  func `what the policy decides stands in the next report, once, and holds everywhere`(
    policy: MergePolicy, outcome: Conflict.Outcome, text: String
  ) throws {
    try meet(policy, { $0.text = "mine" }, { $0.text = "theirs" })
    here.clock.advance(120_000)
    try here.context.save()

    let conflicts = try here.receive([]).conflicts

    let conflict = try #require(conflicts.first)
    #expect(conflicts.count == 1 && conflict.outcome == outcome && conflict.id.key == "text")
    #expect(conflict.localContent == .value(.string("mine")))
    #expect(conflict.remoteContent == .value(.string("theirs")))
    #expect(conflict.localClient == "here" && conflict.remoteClient == "there")
    #expect(conflict.settledContent == .value(.string(text)))
    #expect(try here.receive([]).conflicts.isEmpty)
    try ManagedDevice.exchange(here, there)
    for device in [here, there] { #expect(try device.the(Postcard.self).text == text) }
  }

  @Test func `without a policy the save is refused, and nothing is lost until somebody says so`() throws {
    try meet(.error, { $0.text = "mine" }, { $0.text = "theirs" })

    #expect(throws: SaveError.self) { try here.context.save() }
    #expect(here.context.editConflicts.count == 1)
    #expect(try here.receive([]).conflicts.isEmpty)
  }

  @Test func `edits of different properties are no conflict`() throws {
    try meet(.objectWins, { $0.text = "mine" }, { $0.place = "theirs" })
    try here.context.save()

    #expect(try here.receive([]).conflicts.isEmpty)
    let card = try here.the(Postcard.self)
    #expect(card.text == "mine" && card.place == "theirs")
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins], [1, 3])
  func `what both count up before one of them saves all counts`(policy: MergePolicy, theirs: Int64) throws {
    try meet(policy, { $0.stamps = 1 }, { $0.stamps = theirs })
    try here.context.save()

    #expect(try here.receive([]).conflicts.isEmpty)
    try ManagedDevice.exchange(here, there)
    for device in [here, there] { #expect(try device.the(Postcard.self).stamps == 1 + theirs) }
  }

  @Test func `an edit of an object that the merge deleted stands in the next report`() throws {
    try meet(.objectWins, { $0.text = "mine" }, { there.context.delete($0) })
    try here.context.save()

    let warning = try #require(try here.receive([]).warnings.first)
    #expect(warning.kind == .attributesOfDeletedObjectChangedHere && warning.client == "there")
    #expect(warning.local?.effect == .wrote(.value(.string("mine"))))
  }

  @Test(arguments: [MergePolicy.objectWins, .storeWins])
  func `an edit of an object that was changed and then deleted stays until the save`(policy: MergePolicy)
    throws
  {
    let card = try here.the(Postcard.self)
    try meet(policy, { $0.text = "mine" }, { $0.place = "theirs" })
    there.clock.advance(60_000)
    try there.edit { context in try context.delete(there.the(Postcard.self)) }
    try here.receive(there.push())

    here.context.mergePendingChanges()

    #expect(card.text == "mine")
    try here.context.save()
    let warning = try #require(try here.receive([]).warnings.first)
    #expect(warning.kind == .attributesOfDeletedObjectChangedHere)
    #expect(warning.local?.effect == .wrote(.value(.string("mine"))))
  }

  @Test func `a deletion that overrules what was merged stands in the next report`() throws {
    try meet(.objectWins, { here.context.delete($0) }, { $0.text = "theirs" })
    try here.context.save()

    let warning = try #require(try here.receive([]).warnings.first)
    #expect(warning.kind == .attributesOfObjectDeletedHereChanged && warning.client == "there")
    #expect(warning.remote?.effect == .wrote(.value(.string("theirs"))))
  }

  @Test func `relationships to one object are told by the identifiers of their targets`() throws {
    try meet(
      .objectWins, { $0.answered = $0 },
      { card in card.answered = try there.context.insert(Postcard.self) { $0.ticdsSyncID = "new" } })
    try here.context.save()

    let conflict = try #require(try here.receive([]).conflicts.first)
    #expect(conflict.remoteContent == .target("new"))
    #expect(conflict.localContent == .target(conflict.id.object))
  }

  /// An unsaved edit that chose another target, while somebody else did something to that.
  private func chooseAnother(_ change: (_ card: Postcard, _ former: Postcard) throws -> Void) throws {
    let card = try here.the(Postcard.self)
    let targets = try here.edit { context in
      let targets = try ["old", "new"].map { name in
        try context.insert(Postcard.self) { $0.ticdsSyncID = name }
      }
      card.answered = targets[0]
      return targets
    }
    try ManagedDevice.exchange(here, there)
    here.context.mergePolicy = .objectWins
    card.answered = targets[1]
    there.clock.advance(60_000)
    try there.edit { context in
      let former = try #require(try context.fetch(FetchRequest<Postcard>()).first { $0.ticdsSyncID == "old" })
      let card = try #require(try context.fetch(FetchRequest<Postcard>()).first { $0.answered === former })
      try change(card, former)
    }
    try here.receive(there.push())
    try here.context.save()
  }

  @Test
  func `a relationship that somebody else has emptied stands against the edit that chose another target`()
    throws
  {
    try chooseAnother { card, _ in card.answered = nil }

    let conflict = try #require(try here.receive([]).conflicts.first)
    #expect(conflict.remoteClient == "there" && conflict.remoteContent == .target(nil))
    #expect(conflict.localContent == .target("new"))
  }

  @Test func `an edit that chose another target is no conflict with the deletion of the former one`() throws {
    try chooseAnother { _, former in there.context.delete(former) }

    #expect(try here.receive([]).conflicts.isEmpty)
    let cards = try here.context.fetch(FetchRequest<Postcard>())
    #expect(cards.compactMap(\.answered?.ticdsSyncID) == ["new"])
  }

  @Test func `two contexts of one device that meet are no conflict between devices`() throws {
    here.context.mergePolicy = .objectWins
    let other = try here.context.store.newContext()
    try here.the(Postcard.self).text = "mine"
    try #require(try other.fetch(FetchRequest<Postcard>()).first).text = "mine too"
    try other.save()
    try here.context.save()

    #expect(try here.receive([]).conflicts.isEmpty)
  }

  @Test func `a copy for another device does not tell what happened on this one`() throws {
    try meet(.objectWins, { $0.text = "mine" }, { $0.text = "theirs" })
    try here.context.save()
    let path = here.folder.file("copy.sqlite")
    _ = try here.replica.snapshot(to: path)

    let joined = try ManagedDevice("joined", here.context.model, path: path)

    #expect(try joined.receive([]).conflicts.isEmpty)
    #expect(try here.receive([]).conflicts.count == 1)
  }
}
