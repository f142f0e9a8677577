import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct ApplyProgressTests {
  let here: PlainDevice
  let sets: [ReceivedSet]

  /// A device, and a thousand and one changes of another.
  init() throws {
    here = try PlainDevice("here")
    let there = try PlainDevice("there", setLimit: 400)
    for number in 0...1_000 { try there.edit { try $0.insert("Person", .text("p\(number)")) } }
    sets = try there.push()
  }

  private static func plain(_ bytes: [UInt8], _: AuthorID, _: UInt64) -> [UInt8] { bytes }

  @Test func `progress comes to the number of all changes, and names their author`() throws {
    var steps: [ApplyProgress] = []
    _ = try here.replica.apply(
      sets, policy: .always(.latest), progress: { steps.append($0) })
    #expect(steps.map(\.number) == [250, 500, 750, 1_000, 1_001])
    #expect(Set(steps.map(\.total)) == [1_001])
    #expect(Set(steps.map(\.client)) == ["there"])
    #expect(steps.first?.author == sets.first?.set.author)
  }

  @Test func `a merge that is ended half-way leaves nothing behind, and can be done again`() throws {
    struct Enough: Error {}
    try here.edit { try $0.insert("Person", "mine") }
    let before = try here.store.contents()

    #expect(throws: Enough.self) {
      try here.replica.apply(
        sets, policy: .always(.latest), progress: { if $0.number >= 500 { throw Enough() } })
    }
    #expect(try here.store.contents() == before)
    #expect(try here.replica.vector() == VersionVector())
    #expect(here.store.announced.filter { !$0.isEmpty }.isEmpty)

    #expect(try here.receive(sets).effective == 1_001)
    #expect(try here.store.contents().count == 1_002)
  }

  @Test func `a cancelled task ends its merge and leaves nothing behind`() async throws {
    let sets = sets
    let (count, isCancelled) = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let device = try PlainDevice("cancelled")
      do {
        try device.receive(sets)
        return (try device.store.contents().count, false)
      } catch is CancellationError {
        return (try device.store.contents().count, true)
      }
    }.value
    #expect(isCancelled)
    #expect(count == 0)
  }
}
