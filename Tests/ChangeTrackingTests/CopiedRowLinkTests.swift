import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct CopiedRowLinkTests {
  @Test(arguments: [1, 2, 10_000])
  func `a row that takes the place of the object that it is a copy of keeps its links`(setLimit: Int) throws {
    let model = [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID], relationships: [.toMany("boxes", to: "Box")]),
      EntityDeclaration("Box", attributes: [RenamingTests.syncID]),
    ]
    let here = try VersionedDevice("here", model, setLimit: setLimit)
    let there = try VersionedDevice("there", model)
    try here.insert("Card", "c")
    try here.insert("Box", "b")
    try VersionedDevice.synchronize(here, there)
    // Given a copy of the row, with its identifier, that the user links before he deletes the one that was there.
    try here.context.store.newConnection().execute(
      script: """
        INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZTICDSSYNCID) SELECT Z_PK + 1, Z_ENT, 1, ZTICDSSYNCID FROM ZCARD;
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Card'
        """)
    let cards = try here.context.fetch(FetchRequest<ManagedObject>(entity: "Card")).sorted {
      $0.objectID.uri < $1.objectID.uri
    }
    try #require(cards.count == 2)
    try here.edit { _ in cards[1].setMembers([try #require(try here.object("Box", "b"))], "boxes") }
    try here.edit { $0.delete(cards[0]) }

    try VersionedDevice.synchronize(here, there)

    for device in [here, there] { #expect(try device.members("Card", "c", "boxes") == ["b"]) }
  }
}
