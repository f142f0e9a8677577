import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// Members that come into long lists, of which only they and their neighbours are looked at.
@Suite struct MemberInsertionTests {
  private static let tracks = 90

  private func model() throws -> ManagedObjectModel { try ManagedObjectModel(Playlist.self, Track.self) }

  private func change(
    _ entity: ChangeSet.EntityIndex, _ object: SyncID, at time: UInt64, _ action: Change.Action
  )
    -> Change
  {
    Change(entity: entity, object: object, time: LogicalTime(milliseconds: time), action: action)
  }

  /// Sets about one playlist with lists of all kinds. Keys are of two bytes at most, so that some are equal; members go, and come back.
  private func sets(_ random: inout SeededGenerator) throws -> [ReceivedSet] {
    let lists: [EntityNames.Property] = ["guestOf", "mentionedBy"].map {
      EntityNames.Property(name: $0, kind: .toMany(destination: "Playlist"))
    }
    var author = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Playlist", root: "Playlist", properties: []),
      EntityNames(
        name: "Track", root: "Track",
        properties: [.init(name: "playlist", kind: .toOne(destination: "Playlist"))] + lists))
    var time: UInt64 = 1_000
    var sets = [try author.set(change(0, "list", at: time, .insert([])))]
    let spread = UInt8.random(in: 3...200, using: &random)
    while sets.count < Self.tracks {
      time += 1_000
      let track = SyncID("track \(Int.random(in: 0..<Self.tracks, using: &random))")
      let property = ChangeSet.PropertyIndex(rawValue: Int.random(in: 0...2, using: &random))
      let isShown = Int.random(in: 0..<6, using: &random) > 0
      let membership: Change.Action =
        if property.rawValue == 0 {
          .update([Register(property: property, content: .target(isShown ? "list" : nil))])
        } else {
          isShown ? .link(property: property, target: "list") : .unlink(property: property, target: "list")
        }
      let bytes = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        UInt8.random(in: 0...spread, using: &random)
      }
      var changes = [
        change(1, track, at: time, .insert([])), change(1, track, at: time + 1, membership),
        change(
          1, track, at: time + 2, .place(property: property, target: "list", isInverse: true, bytes: bytes)),
      ]
      if Int.random(in: 0..<15, using: &random) == 0 {
        changes.append(change(1, track, at: time + 3, .delete))
      }
      if Int.random(in: 0..<8, using: &random) == 0 { changes.removeLast() }
      sets.append(try author.set(changes))
    }
    return sets
  }

  private func lists(_ device: ManagedDevice) throws -> [[String]] {
    let list = try device.the(Playlist.self)
    return [list.tracks, list.guests, list.mentions].map { $0.compactMap(\.ticdsSyncID) }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a list has one order, whether its members come one by one or all at once`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sets = try sets(&random)
    let gradual = try ManagedDevice("gradual", model(), sliceLimit: .random(in: 1...9, using: &random))
    let late = try ManagedDevice("late", model())

    for set in sets { try gradual.receive([set]) }
    try late.receive(sets)

    #expect(try lists(gradual) == lists(late))
  }

  /// Identifiers are in no order, so members come all over the list, and ever more of them between the same two.
  @Test func `a list of hundreds that comes in small slices has the order of its author`() throws {
    let maker = try ManagedDevice("maker", model())
    try maker.edit { context in
      let list = try context.insert(Playlist.self)
      let tracks = try (0..<700).map { number in try context.insert(Track.self) { $0.title = "\(number)" } }
      (list.tracks, list.guests, list.mentions) = (tracks, tracks.reversed(), tracks)
    }
    try maker.push()
    let joining = try ManagedDevice("joining", model(), sliceLimit: 20)

    try joining.receive(maker.pushed)

    #expect(try lists(joining) == lists(maker))
  }

  /// What another program has put last is not told by places.
  @Test func `a member comes behind all others although one of them has no place`() throws {
    let device = try ManagedDevice("device", model())
    var random = SeededGenerator(seed: 1)
    let properties = [EntityNames.Property(name: "mentionedBy", kind: .toMany(destination: "Playlist"))]
    var author = ScriptedAuthor(
      1 << 62, entities: EntityNames(name: "Playlist", root: "Playlist", properties: []),
      EntityNames(name: "Track", root: "Track", properties: properties))
    func member(_ number: Int, isPlaced: Bool) -> [Change] {
      let track = SyncID("\(number)")
      let place = Change.Action.place(property: 0, target: "list", isInverse: true, bytes: [UInt8(number)])
      return [
        change(1, track, at: 1_000, .insert([])),
        change(1, track, at: 1_001, .link(property: 0, target: "list")),
      ] + (isPlaced ? [change(1, track, at: 1_002, place)] : [])
    }
    let numbers = (10..<40).shuffled(using: &random)
    try device.receive([
      try author.set(
        [change(0, "list", at: 1_000, .insert([]))]
          + numbers.flatMap { member($0, isPlaced: true) } + member(5, isPlaced: false))
    ])

    try device.receive([try author.set(member(50, isPlaced: true))])

    let shown = try device.the(Playlist.self).mentions.compactMap(\.ticdsSyncID)
    #expect(shown == (10..<40).map { "\($0)" } + ["50", "5"])
  }
}
