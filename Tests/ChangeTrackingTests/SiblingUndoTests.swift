import ObjectStore
import Testing

@testable import ChangeTracking

class Pupil: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @ToOne var model: Pupil?
  @ToOne(inverse: \Pupil.elder) var younger: Pupil?
  @ToOne var elder: Pupil?
  @ToMany(inverse: \Pupil.taught) var tutors: Set<Pupil>
  @ToMany var taught: Set<Pupil>
  @ToMany(isOwnInverse: true) var friends: Set<Pupil>

  class override var entityOptions: EntityOptions? {
    EntityOptions(Pupil.self, userInfo: ["TICDSNaturalKey": "name"])
  }
}

final class Junior: Pupil {
  class override var entityOptions: EntityOptions? {
    EntityOptions(Junior.self, userInfo: ["TICDSNaturalKey": "name"])
  }
}

final class Senior: Pupil {
  class override var entityOptions: EntityOptions? {
    EntityOptions(Senior.self, userInfo: ["TICDSNaturalKey": "name"])
  }
}

/// Merges that make objects those of another entity, and give them relationships to each other, are taken back.
@Suite struct SiblingUndoTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that agree on a junior named "known".
  init() throws {
    let model = try ManagedObjectModel(Pupil.self, Junior.self, Senior.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { try $0.insert(Junior.self).name = "known" }
    try ManagedDevice.exchange(here, there)
  }

  private func shown(_ device: ManagedDevice) throws -> [String] {
    device.context.mergePendingChanges()
    func names(_ pupils: Set<Pupil>) -> String { pupils.map(\.name).sorted().joined(separator: "+") }
    return try device.context.fetch(Pupil.self).map { pupil in
      "\(pupil is Senior ? "Senior" : "Junior") \(pupil.name), model \(pupil.model?.name ?? "-"), "
        + "younger \(pupil.younger?.name ?? "-"), elder \(pupil.elder?.name ?? "-"), "
        + "tutors \(names(pupil.tutors)), taught \(names(pupil.taught)), friends \(names(pupil.friends))"
    }.sorted()
  }

  private func known(_ context: ManagedObjectContext) throws -> Pupil {
    try #require(try context.fetch(Pupil.self).first { $0.name == "known" })
  }

  private func relate(_ pupil: Pupil, _ other: Pupil, _ relationship: String) {
    switch relationship {
    case "model": pupil.model = other
    case "younger": pupil.younger = other
    case "elder": pupil.elder = other
    case "tutors": pupil.tutors = [other]
    case "taught": pupil.taught = [other]
    default: pupil.friends = [other]
    }
  }

  private static let relationships = ["model", "younger", "elder", "tutors", "taught", "friends"]

  @Test(arguments: relationships)
  func `a relationship between two objects that came with the merge goes, though both have been there before`(
    relationship: String
  ) throws {
    try here.edit { for name in ["a", "b"] { try $0.insert(Junior.self).name = name } }
    there.clock.advance(60_000)
    try there.edit { context in
      let (a, b) = (try context.insert(Senior.self), try context.insert(Senior.self))
      (a.name, b.name) = ("a", "b")
      relate(a, b, relationship)
    }
    try expectTakenBack()
  }

  @Test(arguments: relationships, [true, false])
  func `a relationship goes of which one end was an object of another entity before`(
    relationship: String, leadsToKnown: Bool
  ) throws {
    try here.edit { try $0.insert(Junior.self).name = "a" }
    there.clock.advance(60_000)
    try there.edit { context in
      let a = try context.insert(Senior.self)
      a.name = "a"
      let known = try known(context)
      if leadsToKnown { relate(a, known, relationship) } else { relate(known, a, relationship) }
    }
    try expectTakenBack()
  }

  @Test(arguments: relationships, [true, false])
  func `a relationship remains of which one end was an object of another entity for a while`(
    relationship: String, leadsToKnown: Bool
  ) throws {
    try here.edit { context in
      let a = try context.insert(Junior.self)
      a.name = "a"
      let known = try known(context)
      if leadsToKnown { relate(a, known, relationship) } else { relate(known, a, relationship) }
    }
    there.clock.advance(60_000)
    try there.edit { try $0.insert(Senior.self).name = "a" }
    try expectTakenBack()
  }

  /// Merges here what was done there, and takes it back.
  private func expectTakenBack() throws {
    try here.push()
    let before = try shown(here)
    let outcome = try here.replica.apply(there.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { throw Undecided() }
    #expect(try shown(here) != before)

    let undone = try here.replica.undo(try #require(report.inverse))

    #expect(undone.kept == [])
    #expect(try shown(here) == before)
    try there.receive(here.pushed + here.push())
    try here.receive(there.push())
    #expect(try shown(here) == before)
    #expect(try shown(there) == before)
  }

  private struct Undecided: Error {}
}
