import ObjectStore
import Testing

@testable import ChangeTracking

/// Many objects that keep one value aside because it must be unique.
@Suite struct ContestedValueTests {
  private let here: ManagedDevice
  private var there: ScriptedAuthor
  private let now: UInt64
  private static let waiting = 300

  /// A device on which many objects claim the code `x`, of which the last shows it.
  init() throws {
    here = try ManagedDevice("here", ManagedObjectModel(Knot.self, Loop.self))
    let code = EntityNames.Property(name: "code", kind: .attribute)
    there = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Knot", root: "Knot", properties: [code]))
    now = here.clock.milliseconds
    let changes = (0..<Self.waiting).map { number in
      Self.write("x", to: "\(number)", at: now + UInt64(number), isInserted: true)
    }
    try here.receive([there.set(changes)])
  }

  private static func write(_ code: String?, to object: String, at time: UInt64, isInserted: Bool = false)
    -> Change
  {
    let registers = [Register(property: 0, content: .value(code.map { .string($0) } ?? .null))]
    return Change(
      SyncID(object), at: time, isInserted ? .insert(registers) : .update(registers))
  }

  private func holder() throws -> [String?] {
    here.context.mergePendingChanges()
    return try here.context.fetch(Knot.self).filter { $0.code == "x" }.map(\.ticdsSyncID)
  }

  @Test mutating func `a merge that writes another value does not touch them`() throws {
    #expect(try holder() == ["\(Self.waiting - 1)"])

    let report = try here.receive([
      there.set(Self.write("y", to: "other", at: now + 1_000, isInserted: true)),
      there.set(Self.write("z", to: "other", at: now + 2_000)),
    ])

    #expect(report.changedSlices.reduce(0) { $0 + $1.updated.count + $1.inserted.count } == 1)
    #expect(try holder() == ["\(Self.waiting - 1)"])
  }

  @Test mutating func `the latest of them shows the value once it is free, and no other is written`() throws {
    let report = try here.receive([
      there.set(Self.write(nil, to: "\(Self.waiting - 1)", at: now + 1_000))
    ])

    #expect(try holder() == ["\(Self.waiting - 2)"])
    #expect(report.changedSlices.reduce(0) { $0 + $1.updated.count } == 2)
  }

  @Test func `the user may free it too`() throws {
    try here.edit { context in
      try #require(context.fetch(Knot.self).first { $0.code == "x" }).code = "mine"
    }
    try here.push()

    #expect(try holder() == ["\(Self.waiting - 2)"])
  }

  @Test func `the user may free it by deleting who shows it`() throws {
    try here.edit { context in
      context.delete(try #require(context.fetch(Knot.self).first { $0.code == "x" }))
    }
    try here.push()

    #expect(try holder() == ["\(Self.waiting - 2)"])
  }
}
