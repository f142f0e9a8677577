import ByteFixtures
import Foundation
import ObjectStore
import Testing

@Suite struct NaturalOrderTests {
  final class Song: ManagedObject {
    @Attribute var title: String?
    @Attribute var place: Int = 0
  }

  private let context: ManagedObjectContext

  init() throws {
    context = try PersistentStore.inMemory(model: ManagedObjectModel(Song.self)).newContext()
  }

  private let byTitle = FetchRequest<Song>().sorted(by: .naturalOrder(\.title))

  private func insert(_ titles: [String?]) throws {
    for (place, title) in titles.enumerated() {
      try context.insert(Song.self) {
        $0.title = title
        $0.place = place
      }
    }
  }

  private static let ordered: [String?] = [
    nil, "", "A", "a", "á", "a 02", "a 2", "a 10", "a 123456789", "a 1234567890", "A 98765432109",
    "a 100000000000", "a b", "Ab", "ab", "äb", "b", "Straße", "straße", "STRASSE 2", "z", "Ω",
  ]

  @Test(arguments: [true, false]) func `texts come in the order that people expect`(isSaved: Bool) throws {
    try insert(Self.ordered.reversed())
    if isSaved { try context.save() }

    let found = try context.fetch(byTitle).map(\.title)

    #expect(found.map { $0 ?? "nil" } == Self.ordered.map { $0 ?? "nil" })
  }

  @Test(arguments: 0..<20) func `the order is total, and the same in the store and in memory`(seed: Int)
    throws
  {
    var random = SeededGenerator(seed: UInt64(seed))
    let pieces = [
      "a", "A", "ä", "e\u{301}", "é", "0", "00", "7", "10", "999999999", "1000000000", " ", "-", "ß", "ｱ",
      "\u{1}", "🙂",
    ]
    let titles = (0..<60).map { _ in
      (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
    }
    try insert(titles)
    let unsaved = try context.fetch(byTitle).map { $0.title ?? "" }
    try context.save()
    let saved = try context.fetch(byTitle).map { $0.title ?? "" }

    #expect(unsaved.map { Array($0.unicodeScalars) } == saved.map { Array($0.unicodeScalars) })
    // Whatever the order in which they lie there.
    for title in titles.shuffled(using: &random) { try context.insert(Song.self) { $0.title = title } }
    try context.save()
    let doubled = try context.fetch(byTitle).map { $0.title ?? "" }
    #expect(
      doubled.map { Array($0.unicodeScalars) }
        == saved.flatMap { [Array($0.unicodeScalars), Array($0.unicodeScalars)] })
  }
}
