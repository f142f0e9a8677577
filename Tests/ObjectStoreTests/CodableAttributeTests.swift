import Foundation
import ObjectStore
import TemporaryFolders
import Testing

@Suite struct CodableAttributeTests {
  struct Address: CodableAttribute, Hashable {
    var street = ""
    var lines: [String: Double] = [:]
    static let absentValue = Address()
  }

  enum Mood: CodableAttribute, Hashable {
    case calm
    case angry(at: String)
    static let absentValue = Mood.calm
  }

  struct Secret: CodableAttribute {
    static let absentValue = Secret()
    init() {}
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  struct Refusal: Error {}

  final class Person: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var home: Address = Address()
    @Attribute var work: Address?
    @Attribute var mood: Mood = .calm
    @Attribute var nicknames: [String] = ["Bo"]
    @Attribute var numbers: [Double]?
    @Attribute var places: [Address] = []
    @Attribute var bytes: [UInt8] = []
    @Attribute var secret: Secret?
  }

  private let folder: TemporaryFolder
  private let store: PersistentStore

  init() throws {
    folder = try TemporaryFolder()
    store = try PersistentStore(model: ManagedObjectModel(Person.self), path: folder.file("people.sqlite"))
  }

  @Test func `values with parts, enumerations and lists are read as they were written`() throws {
    let context = try store.newContext()
    let address = Address(street: "a/b “c”", lines: ["x": 1.5, "a": -0.25])
    try context.insert(Person.self) {
      $0.home = address
      $0.work = Address(street: "w")
      $0.mood = .angry(at: "me")
      $0.nicknames = ["", "\u{0}é", "🙂"]
      $0.numbers = [1, .infinity, -.infinity, .leastNonzeroMagnitude]
      $0.places = [address, Address()]
      $0.bytes = [0, 255]
    }
    try context.save()

    let person = try #require(try store.newContext().first(Person.self, where: \.name == ""))

    #expect(person.home == address && person.work == Address(street: "w") && person.mood == .angry(at: "me"))
    #expect(person.nicknames == ["", "\u{0}é", "🙂"] && person.places == [address, Address()])
    #expect(person.numbers == [1, .infinity, -.infinity, .leastNonzeroMagnitude])
    #expect(person.bytes == [0, 255] && person["bytes"] == .data([0, 255]))
    #expect(person["nicknames"] == .data(Array("[\"\",\"\\u0000é\",\"🙂\"]".utf8)))
  }

  @Test func `defaults, missing values and bytes that say something else are read as such`() throws {
    let context = try store.newContext()
    let person = try context.insert(Person.self)
    #expect(
      person.nicknames == ["Bo"] && person.numbers == nil && person.work == nil && person.home == Address())
    person["numbers"] = .data(Array("{}".utf8))
    person["mood"] = .data(Array(String(repeating: "[", count: 100_000).utf8))
    #expect(person.numbers == nil && person.mood == .calm)
  }

  @Test func `an equal value is no change, and a request finds it`() throws {
    let context = try store.newContext()
    let lines = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", Double($0)) })
    let person = try context.insert(Person.self) { $0.home = Address(lines: lines) }
    try context.save()

    let shuffled = Dictionary(uniqueKeysWithValues: (0..<50).reversed().map { ("key \($0)", Double($0)) })
    person.home = Address(lines: shuffled)

    #expect(person.changedValues.isEmpty)
    #expect(try context.fetch(Person.self, where: \.home == Address(lines: shuffled)) == [person])
    #expect(try context.fetch(Person.self, where: \.nicknames == ["Bo"]) == [person])
  }

  @Test func `a value that cannot be encoded is refused by the save, with its property`() throws {
    let context = try store.newContext()
    try context.insert(Person.self) { $0.secret = Secret() }
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("secret"))
  }

  @Test
  func `a part that a later version of a type adds is read of older values as of none, and the rest stays`()
    throws
  {
    let context = try store.newContext()
    let person = try context.insert(Person.self)
    person["home"] = .data(Array(#"{"street":"kept"}"#.utf8))
    person["work"] = .data(Array(#"{"street":"office"}"#.utf8))
    person["places"] = .data(Array(#"[{"street":"one"},{"street":"two","lines":{"x":0.1}}]"#.utf8))
    try context.save()

    let fresh = try store.newContext()
    let other = try #require(try fresh.fetch(Person.self).first)
    #expect(other.home == Address(street: "kept") && other.work == Address(street: "office"))
    #expect(other.places == [Address(street: "one"), Address(street: "two", lines: ["x": 0.1])])
    other.home.lines = ["y": 2]
    #expect(other.home == Address(street: "kept", lines: ["y": 2]))
  }
}
