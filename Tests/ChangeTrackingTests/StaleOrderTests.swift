import ObjectStore
import Testing

@testable import ChangeTracking

/// A context that adds a member to a list whose order somebody else has changed since it read it.
@Suite struct StaleOrderTests {
  private static func model(toOne: Bool) -> [EntityDeclaration] {
    let id = AttributeDescription("ticdsSyncID", .string, isIndexed: true)
    return [
      EntityDeclaration(
        "Card", attributes: [id, .init("text", .string)],
        relationships: [
          toOne ? .toOne("box", to: "Box", inverse: "cards") : .toMany("box", to: "Box", inverse: "cards")
        ]),
      EntityDeclaration(
        "Box", attributes: [id],
        relationships: [.toMany("cards", to: "Card", inverse: "box", isOrdered: true)]),
    ]
  }
  private func cards(_ context: ManagedObjectContext) throws -> String {
    try context.fetch(FetchRequest<ManagedObject>(entity: "Box"))[0].members("cards").map {
      if case .string(let id) = $0["ticdsSyncID"] { id } else { "?" }
    }.joined()
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)], ["ab", "abcd"])
  func `adding to a list does not move its other members`(_ how: (toOne: Bool, takesUp: Bool), names: String)
    throws
  {
    let (toOne, takesUp) = how
    let model = Self.model(toOne: toOne)
    let here = try VersionedDevice("here", model), there = try VersionedDevice("there", model)
    try here.insert("Box", "box")
    for name in names + "x" { try here.insert("Card", String(name)) }
    try here.edit { _ in
      try #require(try here.object("Box", "box")).setMembers(
        names.map { try #require(try here.object("Card", String($0))) }, "cards")
    }
    try VersionedDevice.synchronize(here, there)
    // There the last card comes to the front.
    let moved = String(names.last!) + names.dropLast()
    try there.edit { _ in
      try #require(try there.object("Box", "box")).setMembers(
        moved.map { try #require(try there.object("Card", String($0))) }, "cards")
    }
    // Here the list is on a screen; a card is added, a merge comes, and then the card is saved.
    here.context.mergePendingChanges()
    let box = try #require(try here.object("Box", "box")), x = try #require(try here.object("Card", "x"))
    _ = box.members("cards").map { $0["text"] }
    here.clock.advance(100_000)
    box.insertMember(x, at: try #require(box.entity.index(of: "cards")), position: nil)
    try here.receive(from: there)
    if takesUp { here.context.mergePendingChanges() }
    try here.context.save()
    #expect(try cards(here.context.store.newContext()) == moved + "x")
    try VersionedDevice.synchronize(here, there)
    #expect(
      try cards(there.context.store.newContext()) == moved + "x",
      "what nobody moved was said to have been moved")
  }
}
