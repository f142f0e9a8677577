import ObjectStore
import Testing

private final class Part: ManagedObject {
  @Attribute(validation: .init(minimumLength: 2, pattern: "[A-Z]+")) var code: String?
  @Attribute(validation: .init(minimum: .integer(0), maximum: .integer(100))) var count: Int32 = 0
  @Attribute var note: String?
}

/// The rules that a model has for values hold in batches too.
@Suite struct BatchRuleTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext
  private let all = FetchRequest<Part>().sorted(by: \.count)

  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Part.self))
    context = try fixture.store.newContext()
    try context.insertRows(Part.self, from: 1...3) { row, number in
      row[\.code] = "AB"
      row[\.count] = Int32(number)
      row[\.note] = "x\(number)"
    }
  }

  private func refused(_ property: String) -> ContextError {
    .invalidBatchValue(entity: "Part", property: property)
  }

  @Test func `a row that breaks one is not inserted, nor are the others`() throws {
    for code in ["A", "ab", ""] {
      #expect(throws: refused("code")) {
        try context.insertRows(Part.self, from: ["XY", code]) { row, code in row[\.code] = code }
      }
    }
    for count in [-1, 101] as [Int32] {
      #expect(throws: refused("count")) {
        try context.insertRows(Part.self, from: [5, count]) { row, count in row[\.count] = count }
      }
    }
    #expect(try context.count(all) == 3)
  }

  @Test func `an update to a value that breaks one is refused`() throws {
    #expect(throws: refused("code")) { try context.updateRows(all, .set(\.code, to: "a")) }
    #expect(throws: refused("count")) { try context.updateRows(all, .set(\.count, to: 101)) }

    try context.updateRows(all, .set(\.count, to: 100), .set(\.code, to: "ZZ"))

    #expect(try context.fetch(all).map(\.count) == [100, 100, 100])
    #expect(try context.fetch(all).map(\.code) == ["ZZ", "ZZ", "ZZ"])
  }

  @Test func `an update that would compute one for any row is refused as a whole`() throws {
    #expect(throws: refused("count")) { try context.updateRows(all, .set(\.count, to: \.count * 40)) }
    #expect(throws: refused("code")) { try context.updateRows(all, .set(\.code, to: .uppercased(\.note))) }
    #expect(try context.fetch(all).map(\.count) == [1, 2, 3])
    #expect(try context.fetch(all).map(\.code) == ["AB", "AB", "AB"])

    try context.updateRows(all, .set(\.count, to: \.count * 30), .set(\.note, to: .uppercased(\.note)))

    #expect(try context.fetch(all).map(\.count) == [30, 60, 90])
    #expect(try context.fetch(all).map(\.note) == ["X1", "X2", "X3"])
    try fixture.check()
  }
}
