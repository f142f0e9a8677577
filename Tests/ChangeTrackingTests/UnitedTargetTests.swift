import ObjectStore
import Testing

@testable import ChangeTracking

/// Objects of one identifier that two authors made as entities which turn out to be one.
@Suite struct UnitedTargetTests {
  /// What one author made leads to an object that another made too, under the former name of its entity.
  @Test(arguments: [(2, 2), (2, 4), (4, 2)] as [(UInt64, UInt64)], [false, true])
  func `a target that two have made is shown whenever the name is told`(
    _ times: (UInt64, UInt64), bothAreTwice: Bool
  ) throws {
    let properties = [
      EntityNames.Property(name: "name", kind: .attribute),
      .init(name: "boss", kind: .toOne(destination: "Person")),
    ]
    var person = ScriptedAuthor(1, [EntityNames(name: "Person", root: "Person", properties: properties)])
    var human = ScriptedAuthor(2, [EntityNames(name: "Human", root: "Human", properties: properties)])
    var teller = ScriptedAuthor(
      3, [EntityNames(name: "Person", formerNames: ["Human"], root: "Person", properties: [])])
    let sets = [
      try person.set(
        Change("boss", at: times.0, .insert([])), Change("p", at: times.0, .insert([])),
        Change("p", at: 9, .update([Register(property: 1, content: .target("boss"))]))),
      try human.set(
        [Change("boss", at: times.1, .insert([]))]
          + (bothAreTwice ? [Change("p", at: times.1, .insert([]))] : [])),
      try teller.set(),
    ]
    var shown: [[Int]: [String]] = [:]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let device = try PlainDevice("device")
      for index in order { try device.receive([sets[index]]) }
      shown[order] = try device.store.contents()
    }
    #expect(Set(shown.values).count == 1, "\(shown)")
  }
}
