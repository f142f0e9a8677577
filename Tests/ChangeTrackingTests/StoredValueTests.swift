import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

/// What a row holds is not always what was written: SQLite has no negative zero and keeps fifteen digits of a decimal, and a value of another
/// type is converted.
@Suite struct StoredValueTests {
  private static let names = EntityNames(
    name: "Card", root: "Card", properties: [.init(name: "code", kind: .attribute)])

  private func write(_ value: AttributeValue) -> [Register] {
    [Register(property: 0, content: .value(value))]
  }

  private func shown(_ orders: [[ReceivedSet]], _ type: AttributeType, isUnique: Bool) throws
    -> [AttributeValue?]
  {
    let model = [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID, .init("code", type)],
        uniquenessConstraints: isUnique ? [["code"]] : [])
    ]
    return try orders.map { sets in
      let device = try VersionedDevice("device", model)
      for set in sets { _ = try device.replica.receive([set], policy: .always(.latest)) }
      return try device.value("Card", "x", "code")
    }
  }

  @Test(arguments: [
    (AttributeType.double, AttributeValue.double(-0.0), AttributeValue.double(0)),
    (.float, .float(-0.0), .float(0)),
    (
      .decimal, .decimal(Decimal(string: "0.12345678901234567")!),
      .decimal(Decimal(string: "0.12345678901234567")!)
    ),
    (
      .decimal, .decimal(Decimal(string: "12345678901234567890")!),
      .decimal(Decimal(string: "12345678901234567890")!)
    ),
  ])
  func `a unique value that is free again shows, whatever came first`(
    type: AttributeType, first: AttributeValue, second: AttributeValue
  ) throws {
    var (p, q, r) = (
      ScriptedAuthor(7, entities: Self.names), ScriptedAuthor(8, entities: Self.names),
      ScriptedAuthor(9, entities: Self.names)
    )
    let x = try p.set(Change("x", at: 10, .insert(write(first))))
    let y = try q.set(Change("y", at: 20, .insert(write(second))))
    let free = try r.set(Change("y", at: 30, .delete))
    let values = try shown([[x, y, free], [free, y, x], [y, x, free]], type, isUnique: true)
    #expect(Set(values).count == 1, "\(values)")
  }

  /// One author, one time, as copies of a store may write. The last three are of other types than the attribute.
  @Test(arguments: [
    (
      AttributeType.decimal, AttributeValue.decimal(Decimal(string: "0.1234567890123456789")!),
      AttributeValue.decimal(Decimal(string: "0.9876543210123456")!)
    ),
    (.double, .integer(5), .double(4)), (.integer64, .double(5), .integer(7)),
    (.string, .integer(5), .string("4")),
  ])
  func `of two values of one stamp the same shows, whichever came first`(
    type: AttributeType, first: AttributeValue, second: AttributeValue
  ) throws {
    var (p, q, r) = (
      ScriptedAuthor(7, entities: Self.names), ScriptedAuthor(7, entities: Self.names),
      ScriptedAuthor(8, entities: Self.names)
    )
    let x = try r.set(Change("x", at: 1, .insert([])))
    let one = try p.set(Change("x", at: 10, .update(write(first))))
    let other = try q.set(Change("x", at: 10, .update(write(second))))
    let values = try shown([[x, one, other], [x, other, one]], type, isUnique: false)
    #expect(Set(values).count == 1, "\(values)")
  }

  /// What a row shows becomes what a counter stands on; who begins with the new version has what was written.
  @Test(arguments: [
    (AttributeType.double, AttributeValue.string("5"), AttributeValue.integer(3)),
    (.integer32, .boolean(true), .integer(3)), (.double, .date(5), .integer(3)),
    (
      .decimal, .decimal(Decimal(string: "0.1234567890123456789")!),
      .decimal(Decimal(string: "-0.123456789012345")!)
    ),
  ])
  func `a counter that a version declares stands on the same for who had the version before`(
    type: AttributeType, written: AttributeValue, added: AttributeValue
  ) throws {
    func model(_ kind: MergeKind) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Card",
          attributes: [
            RenamingTests.syncID, .init("code", type, userInfo: kind == .latest ? [:] : .merging(kind)),
          ])
      ]
    }
    var (p, q) = (ScriptedAuthor(7, entities: Self.names), ScriptedAuthor(8, entities: Self.names))
    let insertion = try p.set(Change("x", at: 10, .insert(write(written))))
    let addition = try q.set(Change("x", at: 20, .contribute(property: 0, value: added, origin: nil)))
    let (old, new) = (try VersionedDevice("old", model(.latest)), try VersionedDevice("new", model(.counter)))
    _ = try old.replica.receive([insertion], policy: .always(.latest))
    try old.upgrade(to: model(.counter), by: model(.latest))
    for device in [old, new] {
      for set in [insertion, addition] { _ = try device.replica.receive([set], policy: .always(.latest)) }
    }
    #expect(try old.value("Card", "x", "code") == new.value("Card", "x", "code"))
  }
}
