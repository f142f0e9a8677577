import ByteFixtures
import Foundation
import ObjectStore

@testable import ChangeTracking

/// The sets that the files in `Golden` hold, by the name of the file.
enum GoldenSets {
  static let all: [(name: String, set: ChangeSet)] = [
    ("first", first), ("kinds", kinds), ("together", together), ("cells", cells), ("long", long),
    ("named", named), ("cleared", cleared),
  ]

  /// The first set of an author, without changes.
  private static let first = ChangeSet(
    author: AuthorID(bits: 0x0123_4567_89ab_cdef), client: "Ann’s desk", sequence: 1, previous: nil,
    model: "8c2d", entities: [], changes: [])

  /// All actions, kinds of property and types of value.
  private static let kinds: ChangeSet = {
    let person = EntityNames(
      name: "Employee", root: "Person",
      properties: [
        .init(name: "value", kind: .attribute), .init(name: "boss", kind: .toOne(destination: "Person")),
        .init(name: "friends", kind: .toMany(destination: "Person")), .init(name: "note", kind: .attribute),
      ])
    let values: [AttributeValue] = [
      .null, .boolean(false), .boolean(true), .integer(-3), .integer(.min), .integer(.max), .double(0.1),
      .double(-0.0), .double(1e15), .double(-7), .double(.infinity), .float(2.5),
      .decimal(Decimal(string: "-12345678901234567890.125") ?? 0), .string(""), .string("Grüße 🙂\0"),
      .date(0),
      .date(700_000_000.25), .date(-0.1), .date(1e300), .data([]), .data([0, 255]),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
      .uri("https://example.org/ä"),
    ]
    let bob = SyncID.uuid(0x0190_0000_0000_7000, 0x8000_0000_0000_0001)
    let eve = SyncID.text("person:eve")
    func change(_ object: SyncID, _ milliseconds: UInt64, _ counter: UInt64, _ action: Change.Action)
      -> Change
    {
      Change(
        entity: 0, object: object, time: LogicalTime(bits: milliseconds << 16 | counter), action: action)
    }
    var changes = values.enumerated().map { index, value in
      change(
        .uuid(0x0190_0000_0000_7000 + UInt64(index / 4), 0x8000_0000_0000_0000 + UInt64(index * index)),
        1_700_000_000_000 + UInt64(index % 3), UInt64(index),
        .insert([Register(property: 0, content: .value(value))]))
    }
    changes += [
      change(eve, 1, 0, .insert([])),
      change(bob, 1_700_000_000_009, 65_535, .update([Register(property: 1, content: .target(eve))])),
      change(
        eve, 1_700_000_000_009, 0,
        .update([
          Register(property: 1, content: .target(nil)), Register(property: 3, content: .value(.string("x"))),
        ])),
      change(bob, (1 << 48) - 1, 0, .delete), change(eve, 5, 0, .link(property: 2, target: bob)),
      change(eve, 6, 0, .unlink(property: 2, target: .text("gone"))),
    ]
    return ChangeSet(
      author: AuthorID(bits: .max), client: "", sequence: .max,
      previous: ContentHash(bytes: (0..<16).map { UInt8($0 * 16) }), model: "", entities: [person],
      changes: changes)
  }()

  /// What a delete rule has cleared, alone and with the rest of its group.
  private static let cleared = ChangeSet(
    author: AuthorID(bits: 7), client: "desk", sequence: 2, previous: ContentHash(bytes: Array(0..<16)),
    model: "8c2d",
    entities: [
      EntityNames(
        name: "Thing", root: "Thing",
        properties: [
          .init(name: "shelf", kind: .toOne(destination: "Shelf")), .init(name: "row", kind: .attribute),
        ])
    ],
    changes: [
      Change(
        entity: 0, object: .text("lamp"), time: LogicalTime(bits: 1_700_000_000_000 << 16 | 1),
        action: .clear([Register(property: 0, content: .target(nil))])),
      Change(
        entity: 0, object: .text("vase"), time: LogicalTime(bits: 1_700_000_000_001 << 16),
        action: .clear([
          Register(property: 0, content: .target(nil)), Register(property: 1, content: .value(.integer(3))),
        ])),
      Change(
        entity: 0, object: .text("vase"), time: LogicalTime(bits: 1_700_000_000_002 << 16),
        action: .update([Register(property: 0, content: .target(.text("top")))])),
    ])

  /// Places in ordered relationships, and contributions.
  private static let cells: ChangeSet = {
    let list = EntityNames(
      name: "List", root: "List",
      properties: [
        .init(name: "items", kind: .toMany(destination: "Item")),
        .init(name: "parent", kind: .toOne(destination: "List")),
        .init(name: "votes", kind: .attribute),
      ])
    func change(_ object: SyncID, _ counter: UInt64, _ action: Change.Action) -> Change {
      Change(
        entity: 0, object: object, time: LogicalTime(bits: 1_700_000_000_000 << 16 | counter), action: action)
    }
    let (shop, home) = (SyncID.text("shop"), SyncID.uuid(0x0190_0000_0000_7000, 0x8000_0000_0000_0001))
    return ChangeSet(
      author: AuthorID(bits: 3), client: "tablet", sequence: 2, previous: ContentHash(of: [2]), model: "m",
      entities: [list],
      changes: [
        change(
          shop, 1,
          .place(property: 0, target: "bread", isInverse: false, bytes: [0x60, 1, 2, 3, 4, 0x80, 0x40])),
        change(shop, 2, .place(property: 0, target: "milk", isInverse: false, bytes: [])),
        change(shop, 2, .place(property: 0, target: "milk", isInverse: true, bytes: [255])),
        change(
          shop, 3,
          .place(property: 1, target: home, isInverse: true, bytes: [UInt8](repeating: 7, count: 512))),
        change(home, 4, .contribute(property: 2, value: .integer(-3), origin: nil)),
        change(home, 5, .contribute(property: 2, value: .decimal(Decimal(string: "0.1") ?? 0), origin: nil)),
        change(shop, 6, .contribute(property: 2, value: .integer(1), origin: AuthorID(bits: 2))),
        change(home, 6, .contribute(property: 2, value: .date(12.5), origin: AuthorID(bits: .max))),
      ])
  }()

  /// Entities and properties with former names, one of which is in use again.
  private static let named = ChangeSet(
    author: AuthorID(bits: 5), client: "desk", sequence: 1, previous: nil, model: "m",
    entities: [
      EntityNames(
        name: "Memo", formerNames: ["Note", "Slip"], root: "Paper",
        properties: [
          .init(name: "heading", formerNames: ["title"], kind: .attribute),
          .init(name: "title", formerNames: [""], kind: .attribute),
          .init(name: "place", kind: .toOne(destination: "Spot")),
        ]),
      EntityNames(name: "Spot", formerNames: ["Où"], root: "Spot", properties: []),
    ],
    changes: [
      Change(
        entity: 0, object: "a", time: LogicalTime(bits: 1_700_000_000_000 << 16 | 1),
        action: .insert([
          Register(property: 0, content: .value(.string("first"))),
          Register(property: 1, content: .value(.string("new"))),
        ]))
    ])

  /// Values that travel out of line.
  private static let long: ChangeSet = {
    let note = EntityNames(
      name: "Note", root: "Note",
      properties: [.init(name: "text", kind: .attribute), .init(name: "picture", kind: .attribute)])
    func value(_ kind: LongValue.Kind, _ length: Int, _ content: [UInt8]) -> Register.Content {
      .longValue(LongValue(kind: kind, length: length, hash: ContentHash(of: content)))
    }
    func change(_ object: SyncID, _ counter: UInt64, _ action: Change.Action) -> Change {
      Change(
        entity: 0, object: object, time: LogicalTime(bits: 1_700_000_000_000 << 16 | counter), action: action)
    }
    return ChangeSet(
      author: AuthorID(bits: 4), client: "desk", sequence: 1, previous: nil, model: "m", entities: [note],
      changes: [
        change(
          "a", 1,
          .insert([
            Register(property: 0, content: value(.text, 16_385, [1])),
            Register(property: 1, content: value(.data, 1 << 30, [2])),
          ])),
        change(
          "b", 2,
          .insert([
            Register(property: 0, content: .value(.string("short"))),
            Register(property: 1, content: value(.data, 20_000, [2])),
          ])),
        change("a", 3, .update([Register(property: 0, content: value(.text, 100_000, [3]))])),
      ])
  }()

  /// Objects that were made together.
  private static let together: ChangeSet = {
    var source = SyncIDSource(random: SeededGenerator(seed: 11))
    let note = EntityNames(
      name: "Note", root: "Note", properties: [.init(name: "title", kind: .attribute)])
    return ChangeSet(
      author: AuthorID(bits: 7), client: "phone", sequence: 300, previous: ContentHash(of: [1]), model: "m",
      entities: [note],
      changes: (0..<200).map { index in
        let time = 1_700_000_000_000 + UInt64(index / 50)
        return Change(
          entity: 0, object: source.next(milliseconds: time), time: LogicalTime(milliseconds: time),
          action: .insert([Register(property: 0, content: .value(.string("Note \(index)")))]))
      })
  }()
}
