import ObjectStore
import Testing

@testable import ChangeTracking

/// Taking a merge back whose long values arrived after it.
@Suite struct UndoArrivedTests {
  private let here: PlainDevice
  private let there: PlainDevice
  private static func text(_ letter: String) -> AttributeValue {
    .string(String(repeating: letter, count: 100_000))
  }

  /// Both know a person.
  init() throws {
    here = try PlainDevice("here")
    there = try PlainDevice("there")
    try there.edit { try $0.insert("Person", "a", ["name": .string("before")]) }
    try here.receive(try there.push())
    there.clock.advance(1_000)
  }

  private func merge() throws -> MergeInverse {
    let outcome = try here.replica.apply(try there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { return MergeInverse() }
    return try #require(report.inverse)
  }

  private func deliver() throws {
    var fetched = FetchedLongValues()
    for reference in try here.replica.awaitedLongValues() {
      _ = fetched.add(try #require(there.pushedLongValues[reference.hash]), as: reference)
    }
    try here.replica.receive(fetched)
  }

  @Test func `a value that the merge has waited for is taken back once it is here`() throws {
    try there.edit { try $0.set("Person", "a", "name", Self.text("x")) }
    let inverse = try merge()
    try deliver()

    let report = try here.replica.undo(inverse)

    #expect(report.kept.isEmpty)
    #expect(try here.store.contents() == ["Person a name=“before”"])
  }

  @Test func `another value than the merge has waited for stays, and is told`() throws {
    try there.edit { try $0.set("Person", "a", "name", Self.text("x")) }
    let inverse = try merge()
    there.clock.advance(1_000)
    try there.edit { try $0.set("Person", "a", "name", Self.text("y")) }
    try here.receive(try there.push())
    try deliver()

    let report = try here.replica.undo(inverse)

    #expect(report.kept.map(\.key) == ["name"])
    #expect(try here.store.contents() == there.store.contents())
  }

  @Test func `an object goes again whose value arrived after the merge that brought it`() throws {
    try there.edit { try $0.insert("Person", "b", ["name": Self.text("x")]) }
    let inverse = try merge()
    try deliver()

    let report = try here.replica.undo(inverse)

    #expect(report.kept.isEmpty)
    #expect(try here.store.contents() == ["Person a name=“before”"])
  }
}
