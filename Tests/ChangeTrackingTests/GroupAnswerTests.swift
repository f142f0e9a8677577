import ObjectStore
import Testing

@testable import ChangeTracking

/// Questions about properties that merge as one cell: there is one for all of a group.
@Suite struct GroupAnswerTests {
  private static let model = [
    EntityDeclaration(
      "Trip",
      attributes: [RenamingTests.syncID]
        + ["start", "end"].map { .init($0, .integer64, userInfo: .merging(.group("span"))) })
  ]
  private let here: VersionedDevice
  private let there: VersionedDevice

  init() throws {
    here = try VersionedDevice("here", Self.model)
    there = try VersionedDevice("there", Self.model)
    try here.insert("Trip", "t", ["start": .integer(0), "end": .integer(9)])
    try VersionedDevice.synchronize(here, there)
    here.clock.advance(10_000)
    try set(here, 1, 2)
  }

  private func set(_ device: VersionedDevice, _ start: Int64, _ end: Int64) throws {
    try device.edit { _ in
      let trip = try device.object("Trip", "t")
      trip?["start"] = .integer(start)
      trip?["end"] = .integer(end)
    }
  }

  private func span(_ device: VersionedDevice) throws -> [AttributeValue?] {
    [try device.value("Trip", "t", "start"), try device.value("Trip", "t", "end")]
  }

  /// Merges sets and answers what is asked by its remote value.
  private func merge(_ sets: [ReceivedSet], _ answer: (AttributeValue) -> ConflictAnswer) throws -> Int {
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    while true {
      guard case .undecided(let conflicts) = try here.replica.apply(sets, policy: .answers(answers)) else {
        return answers.count
      }
      for conflict in conflicts {
        guard case .value(let remote) = conflict.remoteContent, answers[conflict.id] == nil else {
          Issue.record("\(conflict) is asked again")
          return answers.count
        }
        answers[conflict.id] = answer(remote)
      }
    }
  }

  @Test func `a value as the answer is meant for the property that was asked about alone`() throws {
    there.clock.advance(60_000)
    try set(there, 10, 20)

    let asked = try merge(try there.replica.push()) { _ in .value(.integer(5)) }

    #expect(asked == 1)
    let shown = try span(here)
    #expect(shown == [.integer(5), .integer(20)] || shown == [.integer(10), .integer(5)])
  }

  @Test func `an answer about one write of a group is none about a later one`() throws {
    there.clock.advance(60_000)
    try set(there, 10, 20)
    var sets = try there.replica.push()
    there.clock.advance(60_000)
    try set(there, 30, 40)
    sets += try there.replica.push()

    let asked = try merge(sets) { [.integer(10), .integer(20)].contains($0) ? .local : .remote }

    #expect(asked == 2)
    #expect(try span(here) == [.integer(30), .integer(40)])
  }
}
