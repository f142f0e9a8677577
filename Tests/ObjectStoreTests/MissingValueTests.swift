import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Rows without a value that their attribute must have, and what values an attribute admits.
@Suite struct MissingValueTests {
  enum Size: String, AttributeConvertible {
    case small, large
    static let absentValue = Size.small
  }

  final class Parcel: ManagedObject {
    @Attribute var name: String = "unnamed"
    @Attribute var stars: Int16 = 3
    @Attribute var size: Size = .large
    @Attribute var weight: Double
    @Attribute var note: String? = "a note"
  }

  final class Bounded: ManagedObject {
    @Attribute(validation: .range(1...5)) var stars: Int16 = 1
    @Attribute(validation: .range(0...)) var weight: Double = 0
    @Attribute(validation: .range(...10)) var price: Decimal?
    @Attribute(validation: .range(Date(timeIntervalSinceReferenceDate: 0)...)) var made: Date?
    @Attribute(validation: .length(1...3)) var code: String = "a"
    @Attribute(validation: .pattern("[a-z]+")) var word: String = "a"
  }

  @Test func `required attributes without a value in the row show their default`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Parcel.self))
    // As a program writes it that does not know the attributes.
    try fixture.store.newConnection().execute(
      script: """
        INSERT INTO ZPARCEL (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1
        """)
    let context = try fixture.store.newContext()

    let parcel = try #require(try context.fetch(Parcel.self).first)

    #expect(parcel.name == "unnamed" && parcel.stars == 3 && parcel.size == .large)
    #expect(parcel["stars"] == .integer(3))
    // There is no default, or there may be no value.
    #expect(parcel.weight == 0 && parcel.note == nil)
    #expect(parcel["note"] == .null && !parcel.hasChanges)
    parcel.name = "named"
    try context.save()
    #expect(
      try context.connection.first("SELECT ifnull(ZSTARS, 'none') || ZNAME FROM ZPARCEL")
        == .text("nonenamed"))
  }

  @Test func `an unknown value of a type of one's own is not taken for a missing one`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Parcel.self))
    let context = try fixture.store.newContext()
    let parcel = try context.insert(Parcel.self)
    parcel["size"] = .string("huge")
    #expect(parcel.size == .small)
  }

  struct Colour: Equatable {
    var red, green, blue: UInt8
  }

  final class Job: ManagedObject {
    @Attribute var colour: Colour?
    @Attribute var background: Colour = Colour(red: 1, green: 2, blue: 3)
  }

  @Test func `a structure of the application can be an attribute, and be looked for`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Job.self))
    let context = try fixture.store.newContext()
    try context.insert(Job.self) { $0.colour = Colour(red: 255, green: 0, blue: 1) }
    try context.insert(Job.self)
    try context.save()

    let fresh = try fixture.store.newContext()
    let jobs = try fresh.fetch(Job.self, where: \.colour == Colour(red: 255, green: 0, blue: 1))
    #expect(jobs.map(\.colour) == [Colour(red: 255, green: 0, blue: 1)])
    #expect(jobs.map(\.background) == [Colour(red: 1, green: 2, blue: 3)])
    #expect(try fresh.fetch(Job.self, where: \.colour == nil).count == 1)
  }

  @Test func `ranges, lengths and patterns are said in the types of Swift`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Bounded.self))
    let context = try fixture.store.newContext()
    let bounded = try context.insert(Bounded.self) { $0.price = 10 }
    try context.save()

    bounded.stars = 6
    bounded.weight = -0.5
    bounded.price = 10.5
    bounded.made = Date(timeIntervalSinceReferenceDate: -1)
    bounded.code = "abcd"
    bounded.word = "A"
    let error = #expect(throws: SaveError.self) { try context.save() }

    let names = error?.problems.compactMap { problem -> String? in
      if case .invalidValue(_, let name, _) = problem { name } else { nil }
    }
    #expect(Set(names ?? []) == ["stars", "weight", "price", "made", "code", "word"])
  }

  @Test func `a bound that cannot be of the attribute's type is an error of the model`() {
    final class Wrong: ManagedObject {
      @Attribute(validation: .range(0.5...1)) var stars: Int = 1
    }
    #expect(throws: ModelError.self) { try ManagedObjectModel(Wrong.self) }
  }
}

extension MissingValueTests.Colour: AttributeConvertible {
  static let attributeType = AttributeType.integer32
  static let absentValue = MissingValueTests.Colour(red: 0, green: 0, blue: 0)
  var attributeValue: AttributeValue { .integer(Int64(red) << 16 | Int64(green) << 8 | Int64(blue)) }
  init?(attributeValue: AttributeValue) {
    guard case .integer(let number) = attributeValue, 0...0xFFFFFF ~= number else { return nil }
    self.init(red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
  }
}
