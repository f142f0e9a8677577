import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// New objects for which something waits, while sets are made of the log in slices.
@Suite struct LogSliceInsertionTests {
  private let model: ManagedObjectModel
  private let there: ManagedDevice

  init() throws {
    model = try ManagedObjectModel(Label.self, Letter.self)
    there = try ManagedDevice("there", model)
  }

  final class Label: ManagedObject {
    override class var entityOptions: EntityOptions? {
      EntityOptions(Label.self, name: "Label", userInfo: [SyncModelKey.naturalKey: "name"])
    }

    @Attribute(indexed: true) var ticdsSyncID: String?
    @Attribute var name: String = "label"
    @Attribute var color: Int?
    @ToMany var letters: Set<Letter>
  }

  final class Letter: ManagedObject {
    @Attribute(indexed: true) var ticdsSyncID: String?
    @ToMany(inverse: \Label.letters) var labels: Set<Label>
  }

  /// A label that was deleted here, and given a color there by somebody who did not know.
  private func deviceThatDeletedColoredLabel(setLimit: Int) throws -> ManagedDevice {
    let here = try ManagedDevice("here", model, setLimit: setLimit)
    try here.edit { context in
      _ = try context.insert(Label.self)
      _ = try context.insert(Letter.self)
    }
    try ManagedDevice.exchange(here, there)
    try here.edit { $0.delete(try here.the(Label.self)) }
    there.clock.advance(10_000)
    try there.edit { _ in try there.the(Label.self).color = 7 }
    try ManagedDevice.exchange(here, there)
    here.clock.advance(20_000)
    return here
  }

  @Test(arguments: 1...8) func `links that were removed again do not come back`(setLimit: Int) throws {
    let here = try deviceThatDeletedColoredLabel(setLimit: setLimit)
    try here.edit { context in
      try context.insert(Label.self).letters = [
        here.the(Letter.self), context.insert(Letter.self), context.insert(Letter.self),
        context.insert(Letter.self),
      ]
    }
    try here.edit { _ in try here.the(Label.self).letters = [] }
    try there.receive(here.push())

    here.context.reset()
    #expect(try here.the(Label.self).letters.isEmpty)
    #expect(try there.the(Label.self).letters.isEmpty)
  }

  @Test func `what waits for an object shows once everything is said, though the process ended in between`()
    throws
  {
    let here = try deviceThatDeletedColoredLabel(setLimit: 2)
    try here.edit { _ = try $0.insert(Label.self) }
    for _ in 0..<5 { try here.edit { _ = try $0.insert(Letter.self) } }
    let connection = here.context.connection
    // A trigger ends the second transaction, as a crash would.
    try connection.execute(
      script: """
        CREATE TRIGGER stop BEFORE INSERT ON TICDS_OUTBOX WHEN (SELECT count(*) FROM TICDS_OUTBOX) > 0
        BEGIN SELECT RAISE(ABORT, 'stopped'); END
        """)
    #expect(throws: SQLiteError.self) { try here.replica.freeze() }
    #expect(try here.the(Label.self).color == nil)
    try connection.execute(script: "DROP TRIGGER stop")
    try here.push()

    #expect(try here.the(Label.self).color == 7)
  }
}
