import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct UndoCounterTests {
  @Test func `a counter that nobody had counted shows zero, and the report says that it is not as it was`()
    throws
  {
    let model = [
      EntityDeclaration(
        "Card",
        attributes: [RenamingTests.syncID, .init("count", .integer64, userInfo: .merging(.counter))])
    ]
    let (one, two) = (try VersionedDevice("one", model), try VersionedDevice("two", model))
    try one.insert("Card", "c")
    try VersionedDevice.synchronize(one, two)
    try two.set("Card", "c", "count", .integer(5))
    let outcome = try one.replica.apply(
      two.replica.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let merged) = outcome, let inverse = merged.inverse else {
      Issue.record("nothing was merged")
      return
    }

    let report = try one.replica.undo(inverse)

    #expect(try one.value("Card", "c", "count") == .integer(0))
    #expect(report.kept == [.init(entity: "Card", object: "c", key: "count")])
  }
}
