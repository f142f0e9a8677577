import Foundation
import ObjectStore
import Testing

/// Key paths to what is computed: SQL cannot compute it, so no request may take it for the property that it is computed from.
@Suite struct ComputedPropertyTests {
  enum Priority: Int16, AttributeConvertible, CaseIterable {
    case low, high
    static let absentValue = Priority.low
  }

  /// Text without blanks at its ends.
  struct Trimmed: AttributeConvertible, Equatable {
    var text: String
    static let attributeType = AttributeType.string
    static let absentValue = Trimmed(text: "")
    var attributeValue: AttributeValue { .string(text) }
    init(text: String) { self.text = text.trimmingCharacters(in: .whitespacesAndNewlines) }
    init?(attributeValue: AttributeValue) {
      guard case .string(let text) = attributeValue else { return nil }
      self.init(text: text)
    }
  }

  class Thing: ManagedObject {
    @Attribute var title: String = "untitled"
    @Attribute var stars: Int16 = 3
    @Attribute var isDone: Bool = true
    @Attribute var created: Date = Date(timeIntervalSinceReferenceDate: 5)
    @Attribute var weight: Double?
    @Attribute var priority: Priority = .high
    @Attribute var urgency: Priority?
    @Attribute var label: Trimmed = Trimmed(text: "x")
    @Attribute var link: URL?
    @Attribute var identifier: UUID?
    @Attribute var price: Decimal?
    @Attribute var numbers: [Int] = []
    @Attribute var former: [Int]?
    @Attribute var content: Data = Data()
    @ToOne(inverse: \Box.things) var box: Box?

    var shout: String { title.uppercased() }
    var first: String { String(title.prefix(3)) }
    var isLong: Bool { title.count > 5 }
    var isOpen: Bool { !isDone }
    var capped: Int16 { min(stars, 5) }
    var double: Int { Int(stars) * 2 }
    var heavy: Double { (weight ?? 0) + 1 }
    var constant: String { "constant" }
    var both: String { title + label.text }
    var boxName: String { box?.name ?? "none" }
    var alias: String { title }
  }

  final class Part: Thing {
    @Attribute var number: Int = 1
  }

  final class Box: ManagedObject {
    @Attribute var name: String = ""
    @ToOne var parent: Box?
    @ToMany var things: Set<Thing>
    var shortName: String? { name.isEmpty ? nil : String(name.prefix(1)) }
  }

  private let fixture: TemporaryStore
  private let context: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Thing.self, Part.self, Box.self))
    context = try fixture.store.newContext()
    let box = try context.insert(Box.self) { $0.name = "b" }
    try context.insert(Part.self) {
      $0.title = "note"
      $0.box = box
    }
    try context.save()
  }

  private func refusal(_ predicate: FetchPredicate<Thing>) -> String? {
    do {
      _ = try context.fetch(Thing.self, where: predicate)
      return nil
    } catch {
      guard case .computedProperty("Thing", _, let reads)? = error as? ContextError else { return "\(error)" }
      return reads
    }
  }

  @Test func `a predicate over something computed is refused, with what it is computed from`() {
    #expect(refusal(\.shout == "NOTE") == "title")
    #expect(refusal(\.first == "not") == "title")
    #expect(refusal(\.isLong == false) == "title")
    #expect(refusal(\.isOpen == false) == "isDone")
    #expect(refusal(\.capped == 3) == "stars")
    #expect(refusal(\.double == 6) == "stars")
    #expect(refusal(\.heavy == 1) == "weight")
    #expect(refusal(\.both == "notex") == "label")
    #expect(refusal(\.boxName == "b") == "name")
    #expect(refusal(\.box?.shortName == "b") == "name")
    #expect(refusal(\.constant == "constant")?.contains("key path") == true)
  }

  @Test func `what is in a list is refused, and not read where the list is empty`() {
    #expect(refusal(\.numbers[0] == 1) == "a list of values")
    #expect(refusal(\.numbers.first == 1) == "a list of values")
    #expect(refusal(\.former?[0] == 1) == "a list of values")
    #expect(refusal(\.content.count == 1) == "a list of values")
    #expect(refusal(\.numbers == [] && \.former == nil && \.content == Data()) == nil)
  }

  @Test(arguments: [true, false]) func `what is no text is not searched as text, saved or not`(isSaved: Bool)
    throws
  {
    let thing = try #require(try context.fetch(Thing.self).first)
    thing.numbers = [12, 3]
    if isSaved { try context.save() }
    let wrong: [FetchPredicate<Thing>] = [
      .contains(\.numbers, "2"), .begins(\.stars, with: "3"), .like(\.weight, "*"),
      .ends(\.created, with: "0"),
    ]
    for predicate in wrong {
      #expect(refusal(predicate)?.contains("is no text") == true, "\(predicate)")
    }
    #expect(refusal(.contains(\.title, "o")) == nil)
  }

  @Test func `what is stored is not refused, of whatever type it is, and wherever it is declared`() throws {
    #expect(refusal(\.title == "note") == nil)
    #expect(refusal(\.alias == "note") == nil)
    #expect(refusal(\.stars == 3 && \.isDone == true && \.weight == nil && \.price == nil) == nil)
    #expect(refusal(\.created > Date(timeIntervalSinceReferenceDate: 0)) == nil)
    #expect(refusal(\.priority == .high && \.urgency == nil && \.label == Trimmed(text: "x")) == nil)
    #expect(refusal(\.link == nil && \.identifier == nil) == nil)
    #expect(refusal(\.box?.name == "b" && \.box?.parent?.name == nil) == nil)
    #expect(refusal(\.box == nil) == nil)
    #expect(try context.fetch(Part.self, where: \.title == "note" && \.number == 1).count == 1)
    #expect(try context.fetch(Box.self, where: .any(\.$things, where: \.stars == 3)).count == 1)
  }

  @Test func `sorting, summaries and updates refuse it too, and change nothing`() throws {
    #expect(throws: ContextError.self) { try context.fetch(FetchRequest<Thing>().sorted(by: \.shout)) }
    #expect(throws: ContextError.self) { try context.value(of: .sum(\.double), from: FetchRequest<Thing>()) }
    #expect(throws: ContextError.self) {
      try context.updateRows(FetchRequest<Thing>(), .set(\.shout, to: "X"))
    }
    #expect(throws: ContextError.self) {
      try context.updateRows(FetchRequest<Thing>(), .set(\.title, to: .property(\.shout)))
    }
    #expect(try fixture.store.newContext().fetch(Thing.self).map(\.title) == ["note"])
  }

  @Test func `a name that the model does not know is refused with the name`() throws {
    let error = #expect(throws: ContextError.self) {
      try context.fetch(FetchRequest<ManagedObject>(entity: "Thing").sorted(by: "shout"))
    }
    #expect(error?.description == "Thing has no such property: shout")
  }
}
