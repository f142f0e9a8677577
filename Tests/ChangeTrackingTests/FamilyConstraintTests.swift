import ObjectStore
import Testing

@testable import ChangeTracking

/// Uniqueness constraints of entities that share a table, and claims that are renewed.
@Suite struct FamilyConstraintTests {
  private static func model(
    _ constraints: [[String]], _ below: (name: String, constraints: [[String]])...
  ) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Base", attributes: [RenamingTests.syncID, .init("code", .integer64)],
        uniquenessConstraints: constraints)
    ]
      + below.map {
        EntityDeclaration(
          $0.name, parent: "Base", attributes: [.init("sub" + $0.name, .integer64)],
          uniquenessConstraints: $0.constraints)
      }
  }

  private func codes(_ ids: [String], on device: VersionedDevice) throws -> [AttributeValue?] {
    try ids.map { try device.value("Base", $0, "code") }
  }

  @Test(arguments: [false, true])
  func `of claims by entities with different constraints the latest shows, and the merge ends`(
    isReversed: Bool
  ) throws {
    let model = Self.model([["code"]], ("C", [["code", "subC"]]))
    let one = try VersionedDevice("one", model)
    let two = try VersionedDevice("two", model)
    try one.insert("C", "c", ["code": .integer(1), "subC": .integer(1)])
    two.clock.advance(60_000)
    try two.insert("Base", "p", ["code": .integer(1)])
    one.clock.advance(120_000)
    try one.set("C", "c", "subC", .integer(2))

    let receiver = try VersionedDevice("receiver", model)
    for device in isReversed ? [one, two] : [two, one] { try receiver.receive(from: device) }
    try VersionedDevice.synchronize(one, two)

    for device in [one, two, receiver] {
      #expect(try codes(["c", "p"], on: device) == [.integer(1), .null])
    }
  }

  @Test(arguments: [false, true])
  func `a constraint of one entity holds for its siblings too, as in the file`(isReversed: Bool) throws {
    let model = Self.model([], ("A", [["code"]]), ("B", []))
    let one = try VersionedDevice("one", model)
    let two = try VersionedDevice("two", model)
    try one.insert("A", "a", ["code": .integer(1)])
    two.clock.advance(60_000)
    try two.insert("B", "b", ["code": .integer(1)])

    let receiver = try VersionedDevice("receiver", model)
    for device in isReversed ? [one, two] : [two, one] { try receiver.receive(from: device) }
    try VersionedDevice.synchronize(one, two)

    for device in [one, two, receiver] {
      #expect(try codes(["a", "b"], on: device) == [.null, .integer(1)])
    }
    try two.edit { context in if let b = try two.object("B", "b") { context.delete(b) } }
    try VersionedDevice.synchronize(one, two)
    for device in [one, two] { #expect(try codes(["a"], on: device) == [.integer(1)]) }
  }

  // MARK: Renewed claims

  private static func shelves(isGrouped: Bool) -> [EntityDeclaration] {
    let group = isGrouped ? [SyncModelKey.merge: "group:label"] : [:]
    return [
      EntityDeclaration(
        "Place",
        attributes: [
          RenamingTests.syncID, .init("shelf", .integer64), .init("name", .string, userInfo: group),
          .init("note", .string, userInfo: group),
        ], uniquenessConstraints: [["shelf", "name"]])
    ]
  }

  /// Somebody who does not know of the later claim writes another attribute of the earlier one, and ends with what it was.
  @Test(arguments: [false, true], [false, true])
  func `a claim is renewed by whatever is written of it`(isGrouped: Bool, isReversed: Bool) throws {
    let model = Self.shelves(isGrouped: isGrouped)
    let one = try VersionedDevice("one", model)
    let rival = try VersionedDevice("rival", model)
    let renewing = try VersionedDevice("renewing", model)
    try one.insert("Place", "x", ["shelf": .integer(1), "name": .string("n")])
    try renewing.receive(from: one)
    rival.clock.advance(60_000)
    try rival.insert("Place", "z", ["shelf": .integer(1), "name": .string("n")])
    renewing.clock.advance(120_000)
    if isGrouped {
      try renewing.set("Place", "x", "note", .string("edited"))
    } else {
      try renewing.set("Place", "x", "name", .string("m"))
      try renewing.push()
      try renewing.set("Place", "x", "name", .string("n"))
    }

    let receiver = try VersionedDevice("receiver", model)
    for device in isReversed ? [one, renewing, rival] : [one, rival, renewing] {
      try receiver.receive(from: device)
    }

    #expect(try receiver.value("Place", "x", "shelf") == .integer(1))
    #expect(try receiver.value("Place", "z", "shelf") == .null)
  }

  @Test func `the user may renew a claim to a value that another object shows`() throws {
    let model = Self.model([["code"]], ("C", [["code", "subC"]]))
    let one = try VersionedDevice("one", model)
    let two = try VersionedDevice("two", model)
    try one.insert("C", "c", ["code": .integer(1), "subC": .integer(1)])
    two.clock.advance(60_000)
    try two.insert("Base", "p", ["code": .integer(1)])
    try VersionedDevice.synchronize(one, two)
    try #require(try codes(["c", "p"], on: one) == [.null, .integer(1)])

    one.clock.advance(120_000)
    try one.set("C", "c", "subC", .integer(2))
    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try codes(["c", "p"], on: device) == [.integer(1), .null]) }
  }

  // MARK: Claims that end

  private static func names(_ entity: String, _ attributes: String...) -> EntityNames {
    EntityNames(
      name: entity, root: entity, properties: attributes.map { .init(name: $0, kind: .attribute) })
  }

  @Test func `what is left of a claim shows once an earlier deletion has taken the rest`() throws {
    let device = try VersionedDevice("receiver", Self.shelves(isGrouped: false))
    let names = Self.names("Place", "shelf", "name")
    let shelf = Register(property: 0, content: .value(.integer(1)))
    let name = Register(property: 1, content: .value(.string("n")))
    var author = ScriptedAuthor(7, entities: names)
    var rival = ScriptedAuthor(8, entities: names)
    var deleting = ScriptedAuthor(9, entities: names)
    _ = try device.replica.receive(
      [
        author.set(Change("x", at: 10, .insert([name])), Change("x", at: 30, .insert([shelf]))),
        rival.set(Change("z", at: 40, .insert([shelf, name]))),
      ], policy: .always(.latest))
    try #require(try device.value("Place", "x", "shelf") == .null)

    _ = try device.replica.receive([deleting.set(Change("x", at: 20, .delete))], policy: .always(.latest))

    #expect(try device.value("Place", "x", "name") == .null)
    #expect(try device.value("Place", "x", "shelf") == .integer(1))
  }

  @Test func `a value that is free in one family does not go to an object of another`() throws {
    let other = EntityDeclaration(
      "Other", attributes: [RenamingTests.syncID, .init("code", .integer64)],
      uniquenessConstraints: [["code"]])
    let device = try VersionedDevice("receiver", Self.model([["code"]]) + [other])
    var author = ScriptedAuthor(
      7, entities: Self.names("Base", "code"), Self.names("Other", "code"))
    func change(_ entity: ChangeSet.EntityIndex, _ object: SyncID, _ code: Int64, at milliseconds: UInt64)
      -> Change
    {
      Change(
        entity: entity, object: object, time: LogicalTime(milliseconds: milliseconds),
        action: .insert([Register(property: 0, content: .value(.integer(code)))]))
    }
    _ = try device.replica.receive(
      [
        author.set(
          change(0, "waits", 1, at: 10), change(1, "waits", 1, at: 20), change(0, "shows", 1, at: 30),
          change(1, "shows", 1, at: 40))
      ], policy: .always(.latest))

    _ = try device.replica.receive([author.set(change(0, "shows", 2, at: 50))], policy: .always(.latest))

    #expect(try codes(["waits", "shows"], on: device) == [.integer(1), .integer(2)])
    #expect(try device.value("Other", "waits", "code") == .null)
  }

  // MARK: Merges other than latest

  @Test(arguments: [[SyncModelKey.merge: "counter"], [SyncModelKey.merge: "greatest"]])
  func `what belongs to nobody cannot be unique, and the refusal says so`(userInfo: [String: String]) throws {
    let model = [
      EntityDeclaration(
        "Item",
        attributes: [
          RenamingTests.syncID, .init("number", .integer64, userInfo: userInfo), .init("name", .string),
        ]
      ),
      EntityDeclaration("Book", parent: "Item", uniquenessConstraints: [["name", "number"]]),
    ]

    let error = #expect(throws: ReplicaError.self) { try VersionedDevice("one", model) }

    #expect(error?.code == .unsuitableModel)
    #expect(error?.subject == "Book.number" || error?.subject == "Item.number")
  }

  // MARK: Constraints that nobody can settle

  @Test func `a constraint with a relationship is refused, and the refusal says so`() throws {
    let model = [
      EntityDeclaration(
        "Shelf", attributes: [RenamingTests.syncID],
        relationships: [.toMany("books", to: "Book", inverse: "shelf")]),
      EntityDeclaration(
        "Book", attributes: [RenamingTests.syncID, .init("name", .string)],
        relationships: [.toOne("shelf", to: "Shelf", inverse: "books")],
        uniquenessConstraints: [["shelf", "name"]]),
    ]

    let error = #expect(throws: ReplicaError.self) { try VersionedDevice("one", model) }

    #expect(error?.code == .unsuitableModel && error?.subject == "Book.shelf,name")
  }

  @Test func `a constraint that a store has got without a migration is refused each time`() throws {
    func model(_ constraints: [[String]]) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Book",
          attributes: [RenamingTests.syncID, .init("copies", .integer64, userInfo: .merging(.counter))],
          uniquenessConstraints: constraints)
      ]
    }
    let device = try VersionedDevice("one", model([]))
    try device.insert("Book", "b")

    for _ in 0..<2 {
      let error = #expect(throws: ReplicaError.self) { try device.upgrade(to: model([["copies"]])) }
      #expect(error?.code == .unsuitableModel && error?.subject == "Book.copies")
    }
    try device.upgrade(to: model([]))
    #expect(try device.count("Book") == 1)
  }

  @Test(
    arguments: [
      (["account", "code"], "main", false), (["account", "code"], nil, false), (["account"], "main", false),
      (["account"], nil, true), (["ticdsSyncID"], nil, true), (["ticdsSyncID", "account"], nil, true),
    ] as [([String], String?, Bool)])
  func `a constraint with what stays on a device is refused where a merge may meet it`(
    constraint: [String], standard: String?, isAdmitted: Bool
  ) throws {
    let account = AttributeDescription(
      "account", .string, defaultValue: standard.map { .string($0) } ?? .null,
      userInfo: [SyncModelKey.isLocal: "YES"])
    let model = [
      EntityDeclaration(
        "Entry", attributes: [RenamingTests.syncID, account, .init("code", .string)],
        uniquenessConstraints: [constraint])
    ]
    guard isAdmitted else {
      #expect(throws: ReplicaError.self) { try VersionedDevice("one", model) }
      return
    }
    let one = try VersionedDevice("one", model)
    let two = try VersionedDevice("two", model)
    for device in [one, two] {
      try device.insert("Entry", device.client, ["code": .string("x"), "account": .string("mine")])
    }

    try VersionedDevice.synchronize(one, two)

    for device in [one, two] { #expect(try device.count("Entry") == 2) }
  }
}
