import ObjectStore
import Testing

@testable import ChangeTracking

/// In the order of contributions a sum may pass the bounds of whole numbers, beyond which it is rounded otherwise, though what comes in another
/// order never does.
@Suite struct LargeTotalTests {
  @Test(arguments: [AttributeType.decimal, .double])
  func `a total is that of all contributions in their order`(type: AttributeType) throws {
    let model = [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID, .init("sum", type, userInfo: .merging(.counter))])
    ]
    let names = EntityNames(name: "Card", root: "Card", properties: [.init(name: "sum", kind: .attribute)])
    func add(_ value: AttributeValue, at time: UInt64) -> Change {
      Change("c", at: time, .contribute(property: 0, value: value, origin: nil))
    }
    var (p, q, r) = (
      ScriptedAuthor(7, entities: names), ScriptedAuthor(8, entities: names),
      ScriptedAuthor(9, entities: names)
    )
    let sets = [
      try p.set(
        [Change("c", at: 1, .insert([])), add(.integer(.max), at: 100), add(.integer(-20), at: 300)]
          + (0..<40).map { add(.integer($0 % 2 == 0 ? 1 : -1), at: 10 + UInt64($0)) }),
      try q.set(add(.integer(10), at: 200)),
      try r.set(add(.double(0.5), at: 400), add(.integer(-.max + 10), at: 401)),
    ]
    let (oneByOne, atOnce) = (try VersionedDevice("a", model), try VersionedDevice("b", model))
    for set in sets { _ = try oneByOne.replica.receive([set], policy: .always(.latest)) }
    _ = try atOnce.replica.receive(sets, policy: .always(.latest))
    #expect(try oneByOne.value("Card", "c", "sum") == atOnce.value("Card", "c", "sum"))
  }
}
