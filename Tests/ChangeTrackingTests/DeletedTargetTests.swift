import ObjectStore
import Testing

@testable import ChangeTracking

/// A delete rule clears what led to an object that its user deletes, while somebody else gives it another target.
@Suite struct DeletedTargetTests {
  private static let model = [
    EntityDeclaration(
      "Shelf", attributes: [RenamingTests.syncID],
      relationships: [.init("things", to: "Thing", inverse: "shelf", isToMany: true)]),
    EntityDeclaration(
      "Thing", attributes: [RenamingTests.syncID, .init("title", .string)],
      relationships: [.init("shelf", to: "Shelf", inverse: "things", isToMany: false)]),
  ]

  /// Two devices with a thing in shelf a, and another shelf.
  private static func devices(_ model: [EntityDeclaration] = model, setLimit: Int = 10_000) throws
    -> (VersionedDevice, VersionedDevice)
  {
    let one = try VersionedDevice("one", model)
    let two = try VersionedDevice("two", model, setLimit: setLimit)
    for id in ["a", "b"] { try one.insert("Shelf", id) }
    try one.insert("Thing", "t")
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "a"))
    try VersionedDevice.synchronize(one, two)
    return (one, two)
  }

  private static func delete(_ id: String, on device: VersionedDevice) throws {
    try device.edit { context in context.delete(try #require(try device.object("Shelf", id))) }
  }

  private static func exchange(_ one: VersionedDevice, _ two: VersionedDevice) throws {
    for _ in 0..<2 { try VersionedDevice.synchronize(one, two) }
  }

  @Test(arguments: [false, true], [false, true])
  func `what was moved stays where it was moved to, though its former place is deleted later`(
    isDeletedLater: Bool, isPushed: Bool
  ) throws {
    let (one, two) = try Self.devices()
    (isDeletedLater ? two : one).clock.advance(60_000)
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    try Self.delete("a", on: two)
    if isPushed { for device in [one, two] { try device.push() } }

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  /// Whoever merges first has not sent anything yet.
  @Test(arguments: [ConflictPolicy.always(.local), .always(.remote), .answers([:])], [[0, 1], [1, 0]])
  func `nobody is asked about a place that went, and no policy takes the move back`(
    policy: ConflictPolicy, order: [Int]
  ) throws {
    let (one, two) = try Self.devices()
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    try Self.delete("a", on: two)
    let devices = order.map { [one, two][$0] }

    let reports = [
      try devices[0].receive(from: devices[1], policy: policy),
      try devices[1].receive(from: devices[0], policy: policy),
    ]

    #expect(reports.allSatisfy { $0.conflicts.isEmpty && $0.warnings.isEmpty })
    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  @Test(arguments: [MergePolicy.error, .objectWins, .storeWins, .rollback], [false, true])
  func
    `what is moved stays there though an unsaved deletion of its former place, or an unsaved move, meets the merge`(
      policy: MergePolicy, isDeletionUnsaved: Bool
    ) throws
  {
    let (one, two) = try Self.devices()
    let (mine, other) = isDeletionUnsaved ? (two, one) : (one, two)
    mine.context.mergePolicy = policy
    mine.clock.advance(30_000)
    for device in [one, two] {
      let isUnsaved = device === mine
      if device === two {
        let shelf = try #require(try two.object("Shelf", "a"))
        if isUnsaved { two.context.delete(shelf) } else { try two.edit { $0.delete(shelf) } }
      } else {
        let (thing, shelf) = (try one.object("Thing", "t"), try one.object("Shelf", "b"))
        if isUnsaved {
          thing?.setTarget(shelf, "shelf")
        } else {
          try one.edit { _ in thing?.setTarget(shelf, "shelf") }
        }
      }
    }

    try mine.receive(from: other)
    mine.context.mergePendingChanges()
    try mine.context.save()
    try Self.exchange(one, two)

    for device in [one, two] {
      #expect(try device.target("Thing", "t", "shelf") == "b")
      #expect(try device.object("Shelf", "a") == nil)
    }
  }

  @Test(arguments: [false, true])
  func `what was written and then went with its place is still a side of a conflict`(isSaidBetween: Bool)
    throws
  {
    let (one, two) = try Self.devices()
    try one.insert("Shelf", "c")
    try VersionedDevice.synchronize(one, two)
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    two.clock.advance(30_000)
    try two.setTarget("Thing", "t", "shelf", two.object("Shelf", "c"))
    if isSaidBetween { try two.replica.freeze() }
    try Self.delete("c", on: two)

    let report = try two.receive(from: one, policy: .always(.remote))
    try Self.exchange(one, two)

    #expect(report.conflicts.map(\.id.key) == ["shelf"])
    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  @Test func `what the user moved after its place had gone is a move like others`() throws {
    let (one, two) = try Self.devices()
    try Self.delete("a", on: two)
    one.clock.advance(30_000)
    try one.setTarget("Thing", "t", "shelf", nil)
    two.clock.advance(60_000)
    try two.setTarget("Thing", "t", "shelf", two.object("Shelf", "b"))

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  @Test func `what a new author says again that was cleared takes no move back either`() throws {
    let (one, two) = try Self.devices()
    try Self.delete("a", on: two)
    try two.replica.freeze()
    try two.replica.begin(newIncarnation: .unpushed)
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))

    let report = try one.receive(from: two, policy: .always(.remote))
    try Self.exchange(one, two)

    #expect(report.conflicts.isEmpty)
    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  @Test func `what is taken out of its place by the user is not in what another one moved it to before`()
    throws
  {
    let (one, two) = try Self.devices()
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    two.clock.advance(60_000)
    try two.setTarget("Thing", "t", "shelf", nil)
    try Self.delete("a", on: two)

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == nil) }
  }

  @Test func `a place that was given and deleted before anything was sent gives way as well`() throws {
    let (one, two) = try Self.devices()
    try one.insert("Shelf", "c")
    try VersionedDevice.synchronize(one, two)
    try two.setTarget("Thing", "t", "shelf", two.object("Shelf", "c"))
    one.clock.advance(30_000)
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    two.clock.advance(60_000)
    try Self.delete("c", on: two)

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == "b") }
  }

  @Test func `what was put later into a place that went before anything was sent is nowhere`() throws {
    let (one, two) = try Self.devices()
    try two.insert("Shelf", "c")
    try one.setTarget("Thing", "t", "shelf", one.object("Shelf", "b"))
    two.clock.advance(60_000)
    try two.setTarget("Thing", "t", "shelf", two.object("Shelf", "c"))
    try Self.delete("c", on: two)

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == nil) }
  }

  @Test func `what is in another place again before anything is sent is said once`() throws {
    let (_, two) = try Self.devices(setLimit: 1)
    try Self.delete("a", on: two)
    try two.setTarget("Thing", "t", "shelf", two.object("Shelf", "b"))

    let changes = try two.replica.push().flatMap(\.set.changes)

    #expect(changes.filter { $0.object == "t" }.count == 1)
  }

  @Test func `a place that comes back is empty everywhere`() throws {
    let (one, two) = try Self.devices()
    try Self.delete("a", on: two)
    try Self.exchange(one, two)
    one.clock.advance(60_000)
    try one.insert("Shelf", "a")

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == nil) }
  }

  @Test func `a device that goes on under a new author says nothing again but what was cleared`() throws {
    let (one, two) = try Self.devices()
    try two.set("Thing", "t", "title", .string("first"))
    try VersionedDevice.synchronize(one, two)
    one.clock.advance(60_000)
    try one.set("Thing", "t", "title", .string("second"))
    try Self.delete("a", on: two)
    try two.replica.freeze()
    try two.replica.begin(newIncarnation: .unpushed)

    let report = try one.receive(from: two, policy: .always(.remote))

    #expect(report.conflicts.isEmpty)
    #expect(try one.text("Thing", "t", "title") == "second")
    #expect(try one.target("Thing", "t", "shelf") == nil)
  }

  @Test func `a device that goes on under a new author says what was cleared before its last push`() throws {
    let (one, two) = try Self.devices()
    two.clock.advance(60_000)
    try two.set("Thing", "t", "title", .string("later"))
    try VersionedDevice.synchronize(one, two)
    two.clock.advance(60_000)
    try Self.delete("a", on: two)
    try two.replica.freeze()
    try two.replica.begin(newIncarnation: .unpushed)

    try Self.exchange(one, two)
    one.clock.advance(240_000)
    try one.insert("Shelf", "a")
    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.target("Thing", "t", "shelf") == nil) }
  }

  @Test(arguments: [false, true])
  func `what a delete rule clears says the rest of its group no later than that was written`(
    isWritten: Bool
  ) throws {
    let group = [String: String].merging(.group("place"))
    var model = Self.model
    model[1] = EntityDeclaration(
      "Thing", attributes: [RenamingTests.syncID, .init("title", .string, userInfo: group)],
      relationships: [.init("shelf", to: "Shelf", inverse: "things", isToMany: false, userInfo: group)])
    let (one, two) = try Self.devices(model)
    if isWritten { try two.set("Thing", "t", "title", .string("before")) }
    two.clock.advance(30_000)
    one.clock.advance(30_000)
    try one.set("Thing", "t", "title", .string("moved"))
    two.clock.advance(60_000)
    try Self.delete("a", on: two)

    try Self.exchange(one, two)

    for device in [one, two] { #expect(try device.text("Thing", "t", "title") == "moved") }
  }

  @Test func `what a store of its own clears leaves alone what somebody else has written meanwhile`() throws {
    let (one, two) = (try PlainDevice("one"), try PlainDevice("two"))
    try one.edit { edit in
      for id in ["a", "b", "t"] { try edit.insert("Person", SyncID(id)) }
      try edit.point("Person", "t", "boss", to: "a")
    }
    try two.receive(try one.push())
    try one.edit { edit in try edit.point("Person", "t", "boss", to: "b") }
    two.clock.advance(60_000)
    try two.edit { edit in try edit.delete("Person", "a") }

    for (sender, receiver) in [(one, two), (two, one), (one, two)] { try receiver.receive(try sender.push()) }

    for device in [one, two] {
      #expect(try device.store.contents().contains { $0.hasPrefix("Person t") && $0.contains("boss→b") })
    }
  }
}
