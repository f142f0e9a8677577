import ObjectStore
import Testing

/// Relationships to partners that a save under a policy meets, where the other side is deleted or given away at the same time.
@Suite struct MetPartnerTests {
  final class Person: ManagedObject {
    @Attribute var name = ""
    @ToOne(isOwnInverse: true) var partner: Person?
  }

  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext

  init() throws {
    fixture = try TemporaryStore(ManagedObjectModel(Person.self))
    mine = try fixture.store.newContext()
    theirs = try fixture.store.newContext()
    mine.mergesChangesAutomatically = false
    for name in ["a", "b", "c"] { try mine.insert(Person.self) { $0.name = name } }
    try mine.save()
  }

  private func person(_ name: String, _ context: ManagedObjectContext) throws -> Person {
    try #require(try context.fetch(Person.self).first { $0.name == name })
  }

  /// Makes a the partner of another, edits both here and elsewhere, and saves.
  private func meet(
    _ policy: MergePolicy, partner: String, mine edit: () throws -> Void, theirs other: () throws -> Void
  ) throws {
    mine.mergePolicy = policy
    try person("a", mine).partner = try person(partner, mine)
    try mine.save()
    try edit()
    try other()
    try theirs.save()
    try mine.save()

    #expect(!mine.hasChanges)
    for context in [mine, try fixture.store.newContext()] {
      for person in try context.fetch(Person.self) {
        #expect(person.partner.map { $0.partner === person && !$0.isGone } ?? true)
      }
    }
  }

  private static let policies = [MergePolicy.storeWins, .objectWins, .rollback]

  @Test(arguments: policies)
  func `one who parts from himself while others give him another`(policy: MergePolicy) throws {
    try meet(policy, partner: "a") {
      try person("a", mine).partner = nil
    } theirs: {
      try person("b", theirs).partner = try person("a", theirs)
    }
  }

  @Test(arguments: policies)
  func `one whose partner is deleted here and who has another there`(policy: MergePolicy) throws {
    try meet(policy, partner: "b") {
      mine.delete(try person("b", mine))
    } theirs: {
      try person("a", theirs).partner = try person("c", theirs)
    }
  }

  @Test(arguments: policies)
  func `one whose partner is deleted here while others rename him`(policy: MergePolicy) throws {
    try meet(policy, partner: "b") {
      mine.delete(try person("b", mine))
    } theirs: {
      try person("a", theirs).name = "renamed"
    }
  }

  @Test(arguments: policies)
  func `one whose partner got another here and who has another there`(policy: MergePolicy) throws {
    try meet(policy, partner: "b") {
      try person("b", mine).partner = try person("b", mine)
    } theirs: {
      try person("a", theirs).partner = try person("c", theirs)
    }
  }
}
