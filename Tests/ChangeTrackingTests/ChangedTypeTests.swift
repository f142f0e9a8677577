import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

/// An attribute gets another type, as a migration can infer it, and devices learn of it at different times.
@Suite struct ChangedTypeTests {
  private static func note(_ attribute: AttributeDescription) -> [EntityDeclaration] {
    [EntityDeclaration("Note", attributes: [RenamingTests.syncID, attribute])]
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var before: AttributeType
    var after: AttributeType
    var values: [(AttributeValue, AttributeValue)]
    /// What the former type cannot hold.
    var onlyAfter: AttributeValue?

    var testDescription: String { "\(before) to \(after)" }
  }

  private static let identifier = UUID()

  static let changes = [
    Change(
      before: .integer16, after: .integer32, values: [(.integer(-7), .integer(-7))],
      onlyAfter: .integer(100_000)),
    Change(
      before: .integer32, after: .integer64, values: [(.integer(7), .integer(7))],
      onlyAfter: .integer(1 << 40)),
    Change(
      before: .integer32, after: .double, values: [(.integer(7), .double(7))], onlyAfter: .double(0.5)),
    Change(
      before: .integer64, after: .decimal, values: [(.integer(.max), .decimal(Decimal(Int64.max)))],
      onlyAfter: .decimal(0.5)),
    Change(
      before: .integer16, after: .float, values: [(.integer(-3), .float(-3))], onlyAfter: .float(0.5)),
    Change(
      before: .integer64, after: .string, values: [(.integer(-42), .string("-42"))], onlyAfter: .string("007")
    ),
    Change(
      before: .boolean, after: .integer16,
      values: [(.boolean(true), .integer(1)), (.boolean(false), .integer(0))], onlyAfter: .integer(2)),
    Change(before: .boolean, after: .double, values: [(.boolean(true), .double(1))], onlyAfter: .double(2)),
    Change(
      before: .float, after: .double, values: [(.float(0.1), .double(Double(Float(0.1))))],
      onlyAfter: .double(0.1)),
    Change(before: .double, after: .date, values: [(.double(5.5), .date(5.5))], onlyAfter: nil),
    Change(before: .date, after: .double, values: [(.date(5.5), .double(5.5))], onlyAfter: nil),
    Change(
      before: .uuid, after: .string, values: [(.uuid(identifier), .string(identifier.uuidString))],
      onlyAfter: .string("no identifier")),
    Change(before: .uri, after: .string, values: [(.uri("a:b"), .string("a:b"))], onlyAfter: nil),
  ]

  @Test(arguments: changes)
  func `what was written under one type shows under the other`(_ change: Change) throws {
    let before = Self.note(AttributeDescription("value", change.before))
    let after = Self.note(AttributeDescription("value", change.after))
    for (former, present) in change.values {
      let old = try VersionedDevice("old", before)
      let new = try VersionedDevice("new", after)
      let upgraded = try VersionedDevice("upgraded", before)
      try old.insert("Note", "a", ["value": former])
      try new.insert("Note", "b", ["value": present])
      try VersionedDevice.synchronize(old, new, upgraded)
      try upgraded.upgrade(to: after)
      try VersionedDevice.synchronize(old, new, upgraded)

      for id in ["a", "b"] {
        #expect(try old.value("Note", id, "value") == former)
        #expect(try new.value("Note", id, "value") == present)
        #expect(try upgraded.value("Note", id, "value") == present)
      }
    }
  }

  struct Chain: Sendable, CustomTestStringConvertible {
    var types: [AttributeType]
    /// One value as each of the types holds it.
    var values: [AttributeValue]

    var testDescription: String { types.map { "\($0)" }.joined(separator: " to ") }
  }

  static let chains = [
    Chain(types: [.integer32, .double, .date], values: [.integer(7), .double(7), .date(7)]),
    Chain(
      types: [.integer16, .float, .double, .date], values: [.integer(-7), .float(-7), .double(-7), .date(-7)]),
    Chain(
      types: [.float, .double, .date],
      values: [.float(0.1), .double(Double(Float(0.1))), .date(Double(Float(0.1)))]),
    Chain(types: [.boolean, .integer64, .string], values: [.boolean(true), .integer(1), .string("1")]),
    Chain(types: [.boolean, .double, .date], values: [.boolean(false), .double(0), .date(0)]),
    Chain(types: [.integer16, .integer64, .string], values: [.integer(5), .integer(5), .string("5")]),
  ]

  @Test(arguments: chains)
  func `what a device brings through several types shows as with one that skipped them`(_ chain: Chain) throws
  {
    let versions = chain.types.map { Self.note(AttributeDescription("value", $0)) }
    let first = try VersionedDevice("first", versions[0])
    let last = try VersionedDevice("last", versions[versions.count - 1])
    let upgraded = try VersionedDevice("upgraded", versions[0])
    try first.insert("Note", "a", ["value": chain.values[0]])
    try last.insert("Note", "b", ["value": chain.values[chain.values.count - 1]])
    try VersionedDevice.synchronize(first, last, upgraded)
    for version in versions.dropFirst() { try upgraded.upgrade(to: version) }
    try VersionedDevice.synchronize(first, last, upgraded)

    for id in ["a", "b"] {
      #expect(try first.value("Note", id, "value") == chain.values.first)
      for device in [last, upgraded] {
        #expect(try device.value("Note", id, "value") == chain.values.last)
      }
    }
  }

  @Test(arguments: [nil, AttributeValue.integer(7)])
  func
    `what nobody has written shows what the present version wants, also where the former one wanted something else`(
      value: AttributeValue?
    ) throws
  {
    let required = Self.note(
      AttributeDescription("value", .integer64, isOptional: false, defaultValue: .integer(3)))
    let after = Self.note(
      value.map { AttributeDescription("value", .integer64, isOptional: false, defaultValue: $0) }
        ?? AttributeDescription("value", .integer64))
    let old = try VersionedDevice("old", required)
    let new = try VersionedDevice("new", Self.note(AttributeDescription("value", .integer64)))
    try new.insert("Note", "unwritten")
    try old.insert("Note", "written", ["value": .integer(3)])
    try VersionedDevice.synchronize(old, new)
    #expect(try old.value("Note", "unwritten", "value") == .integer(3))

    try old.upgrade(to: after)
    try old.receive(from: new)

    #expect(try old.value("Note", "unwritten", "value") == value ?? .null)
    #expect(try old.value("Note", "written", "value") == .integer(3))
  }

  @Test(arguments: changes)
  func `what the former type cannot hold waits for the device to be brought to the new version`(
    _ change: Change
  )
    throws
  {
    guard let value = change.onlyAfter, let (former, _) = change.values.first else { return }
    let old = try VersionedDevice("old", Self.note(AttributeDescription("value", change.before)))
    let after = Self.note(AttributeDescription("value", change.after))
    let new = try VersionedDevice("new", after)
    try old.insert("Note", "a", ["value": former])
    try VersionedDevice.synchronize(old, new)

    try new.set("Note", "a", "value", value)
    let report = try old.receive(from: new)
    #expect(try old.value("Note", "a", "value") == .null)
    #expect(report.parked.count == 1)
    #expect(report.warnings.map(\.kind) == [.unknownToModel])
    #expect(report.warnings.map(\.key) == ["value"] && report.warnings.map(\.client) == ["new"])
    #expect(report.warnings.map(\.remote?.effect) == [.wrote(.value(value))])
    #expect(try old.receive(from: new).warnings.isEmpty)
    try old.upgrade(to: after)
    #expect(try old.value("Note", "a", "value") == value)
  }

  @Test(arguments: changes)
  func `writing over what the former type cannot hold is a conflict of the next report`(_ change: Change)
    throws
  {
    guard let value = change.onlyAfter, let (former, present) = change.values.first else { return }
    let old = try VersionedDevice("old", Self.note(AttributeDescription("value", change.before)))
    let new = try VersionedDevice("new", Self.note(AttributeDescription("value", change.after)))
    try new.insert("Note", "a", ["value": value])
    #expect(try old.receive(from: new).warnings.map(\.kind) == [.unknownToModel])

    try old.set("Note", "a", "value", former)
    let report = try old.receive(from: new)

    #expect(report.conflicts.map(\.outcome) == [.local] && report.conflicts.map(\.id.key) == ["value"])
    #expect(report.conflicts.map(\.localContent) == [.value(former)])
    #expect(report.conflicts.map(\.remoteContent) == [.value(value)])
    #expect(report.conflicts.map(\.remoteClient) == ["new"])
    #expect(try old.receive(from: new).conflicts.isEmpty)
    try new.receive(from: old)
    #expect(try new.value("Note", "a", "value") == present)
    try old.set("Note", "a", "value", .null)
    #expect(try old.receive(from: new).conflicts.isEmpty)
  }

  @Test func `a counter counts on in another type`() throws {
    func version(_ type: AttributeType) -> [EntityDeclaration] {
      Self.note(AttributeDescription("votes", type, userInfo: [SyncModelKey.merge: "counter"]))
    }
    let old = try VersionedDevice("old", version(.integer32))
    let new = try VersionedDevice("new", version(.double))
    try old.insert("Note", "a", ["votes": .integer(3)])
    try VersionedDevice.synchronize(old, new)
    #expect(try new.value("Note", "a", "votes") == .double(3))
    try old.set("Note", "a", "votes", .integer(4))
    try new.set("Note", "a", "votes", .double(5.5))

    try VersionedDevice.synchronize(old, new)
    #expect(try new.value("Note", "a", "votes") == .double(6.5))
    #expect(try old.value("Note", "a", "votes") == .integer(6))
    try old.set("Note", "a", "votes", .integer(7))
    try VersionedDevice.synchronize(old, new)
    #expect(try new.value("Note", "a", "votes") == .double(7.5))
    try old.upgrade(to: version(.double))
    #expect(try old.value("Note", "a", "votes") == .double(7.5))
  }

  @Test func `a natural key stays the same in another type`() throws {
    func version(_ type: AttributeType) -> [EntityDeclaration] {
      [
        EntityDeclaration(
          "Note", attributes: [RenamingTests.syncID, AttributeDescription("value", type)],
          userInfo: [SyncModelKey.naturalKey: "value"])
      ]
    }
    let old = try VersionedDevice("old", version(.integer32))
    let new = try VersionedDevice("new", version(.double))
    try old.edit { try $0.insert(entity: "Note")["value"] = .integer(5) }
    try new.edit { try $0.insert(entity: "Note")["value"] = .double(5) }
    try VersionedDevice.synchronize(old, new)
    #expect(try old.count("Note") == 1)
    #expect(try new.count("Note") == 1)
  }
}
