import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// What is kept of many candidates, when a version of the model makes something else of them.
@Suite struct TotalOfOtherKindTests {
  private static func model(_ kind: MergeKind) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID, .init("best", .integer64, userInfo: .merging(kind))])
    ]
  }

  @Test(
    arguments: [(.greatest, .smallest, 61), (.greatest, .counter, 3_220)]
      as [(MergeKind, MergeKind, Int64)])
  func `what is kept of one kind of merge does not show where a version declares another`(
    former: MergeKind, present: MergeKind, shown: Int64
  ) throws {
    // Given so many candidates that what they show is kept.
    let device = try VersionedDevice("device", Self.model(former))
    var author = ScriptedAuthor(
      7,
      entities: EntityNames(name: "Card", root: "Card", properties: [.init(name: "best", kind: .attribute)]))
    let candidates = (0..<40 as Range<UInt64>).map {
      Change(
        "c", at: 100 + $0, .contribute(property: 0, value: .integer(100 - Int64($0)), origin: nil))
    }
    let set = try author.set([Change("c", at: 1, .insert([]))] + candidates)
    _ = try device.replica.receive([set], policy: .always(.latest))
    try #require(try device.value("Card", "c", "best") == .integer(100))
    let kept = try device.context.connection.first("SELECT count(*) FROM TICDS_TOTAL")
    try #require(kept == .integer(1))

    try device.upgrade(to: Self.model(present), by: Self.model(former))
    try device.replica.freeze()

    #expect(try device.value("Card", "c", "best") == .integer(shown))
  }
}
