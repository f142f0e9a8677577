import Foundation
import ObjectStore
import Testing

/// What must hold however fetched rows are packed and objects are found by their keys.
@Suite struct FetchedObjectsTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `an object is the same as long as anybody holds it`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let entity = try #require(context.model.entity(named: "Note"))
    // Keys in a row, keys far apart, and keys that differ only in their upper bits.
    let keys =
      (1...200).map { Int64($0) } + (0..<100).map { _ in Int64.random(in: 1...Int64.max, using: &random) }
      + (0..<60).map { (1 as Int64) << $0 }
    var held: [Int64: ManagedObject] = [:]
    for _ in 0..<2_000 {
      let key = try #require(keys.randomElement(using: &random))
      if Bool.random(using: &random) {
        let object = try #require(context.object(for: fixture.store.objectID(entity, key: key)))
        #expect(object.objectID.key == key)
        if let known = held[key] { #expect(known === object) }
        held[key] = object
      } else {
        weak let gone = held.removeValue(forKey: key)
        #expect(gone == nil)
      }
    }
    for (key, object) in held {
      #expect(context.object(for: fixture.store.objectID(entity, key: key)) === object)
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `values are the same in whatever way rows are fetched`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let entity = try #require(context.model.entity(named: "Note"))
    var expected: [Int64: [AttributeValue]] = [:]
    let notes = try (0..<150).map { number in
      try context.insert(Note.self) {
        // Zero and nothing are told apart, and so are empty and nothing.
        $0.title = String(repeating: "ä", count: [0, 1, 20, 3_000][number % 4])
        $0.stars = [0, -1, .max].randomElement(using: &random) ?? 0
        $0.weight = [nil, 0, -0.0, 1.5].randomElement(using: &random) ?? nil
        $0.picture = [nil, Data(), Data([0]), Data(count: 5_000)].randomElement(using: &random) ?? nil
        $0.modified = Bool.random(using: &random) ? Date(timeIntervalSinceReferenceDate: 0) : nil
        $0.identifier = Bool.random(using: &random) ? UUID() : nil
      }
    }
    try context.save()
    for note in notes { expected[note.objectID.key] = (0..<entity.slotCount).map { note.value(at: $0) } }

    let sorted = FetchRequest<Note>().sorted(by: \.title)
    let paged = FetchRequest<Note>().limit(40).offset(100)
    for request in [FetchRequest<Note>(), sorted, paged, sorted.limit(10)] {
      let fetched = try fixture.store.newContext().fetch(request)
      #expect(fetched.count == min(150, request.limit ?? 150))
      for note in fetched {
        #expect((0..<entity.slotCount).map { note.value(at: $0) } == expected[note.objectID.key])
      }
      // What the properties read directly is what the values say.
      for note in fetched {
        #expect(.string(note.title) == note["title"])
        #expect(.integer(Int64(note.stars)) == note["stars"])
        #expect(note.weight.map { .double($0) } ?? .null == note["weight"])
      }
    }
  }

  @Test func `an object outlives its context and its store`() throws {
    var note: Note?
    do {
      let fixture = try TemporaryStore()
      try fixture.store.newContext().insertAndSave("a title that does not fit into a few bytes")
      note = try fixture.store.newContext().fetch(Note.self).first
    }
    let survivor = try #require(note)
    #expect(survivor.context == nil)
    #expect(survivor.entity.name == "Note")
    #expect(survivor.title == "a title that does not fit into a few bytes")
  }

  @Test func `an object may fetch others while it is being fetched`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Curious.self, Neighbour.self))
    let context = try fixture.store.newContext()
    for number in 0..<100 {
      try context.insert(Curious.self) { $0.number = number }
      try context.insert(Neighbour.self) { $0.number = number }
    }
    try context.save()
    let curious = try fixture.store.newContext().fetch(Curious.self)
    #expect(curious.map(\.number) == Array(0..<100))
    for object in curious { #expect(object.neighbours == Array(0..<100)) }
  }
}

private final class Curious: ManagedObject {
  @Attribute var number: Int = 0
  var neighbours: [Int] = []

  override func awakeFromFetch() {
    neighbours = (try? context?.fetch(Neighbour.self).map(\.number)) ?? []
  }
}

private final class Neighbour: ManagedObject {
  @Attribute var number: Int = 0
}

extension ManagedObjectContext {
  fileprivate func insertAndSave(_ title: String) throws {
    try insert(Note.self) { $0.title = title }
    try save()
  }
}
