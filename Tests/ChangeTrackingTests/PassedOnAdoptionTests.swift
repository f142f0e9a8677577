import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// A new author of a store whose adopted objects the remote does not have, though it has something later.
///
/// What is in the log is made into sets before what is adopted, and adopted objects count as older than everything else.
@Suite struct PassedOnAdoptionTests {
  private let folder: TemporaryFolder
  private let here: PlainDevice
  /// What the remote has of its sets.
  private let first: ReceivedSet

  /// A person is older than the bookkeeping, and another was inserted since. Only the set with the latter is pushed.
  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("older.sqlite")
    try PlainStore(path: path).connection.execute(
      script: "INSERT INTO person (syncid, name, best) VALUES ('p', 'older', 5)")
    here = try PlainDevice("here", path: path)
    try here.edit { try $0.insert("Person", "q", ["name": .string("newer")]) }
    try here.replica.freeze()
    let sets = try here.replica.outbox()
    try #require(sets.count == 2)
    first = ReceivedSet(set: try CompactCodec.decode(sets[0].bytes), hash: sets[0].hash)
    try #require(first.set.changes.map(\.object) == ["q"])
    try here.replica.acknowledge(through: sets[0].sequence)
  }

  /// What somebody shows who hears of the first set, and then of the new author.
  private func told() throws -> [String] {
    try here.replica.beginNewIncarnation()
    let late = try PlainDevice("late")
    try late.receive([first] + here.push())
    return try late.store.contents()
  }

  @Test func `a new author says adopted objects that were not pushed`() throws {
    #expect(try told().contains { $0.contains("older") })
  }

  @Test func `a new author says greatest values of adopted objects that were not pushed`() throws {
    #expect(try told() == here.store.contents())
  }
}
