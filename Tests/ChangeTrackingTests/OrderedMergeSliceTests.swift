import ByteFixtures
import ObjectStore
import Testing

@testable import ChangeTracking

/// Ordered relationships that come in several slices, between which the user goes on.
@Suite struct OrderedMergeSliceTests {
  private struct Stopped: Error {}

  private func order(_ tracks: [Track]) -> [String] { tracks.map(\.title).filter { $0 != "mine" } }

  @Test(arguments: 1..<15)
  func `what the user adds to a list of which a part has come leaves the rest in its order`(slices: Int)
    throws
  {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let maker = try ManagedDevice("maker", model)
    try maker.edit { context in
      let list = try context.insert(Playlist.self)
      // Not in the order of their identifiers.
      let tracks = try (0..<6).map { number in try context.insert(Track.self) { $0.title = "\(number)" } }
      (list.tracks, list.guests, list.mentions) = (tracks.reversed(), tracks.reversed(), tracks.reversed())
    }
    try maker.push()
    let joining = try ManagedDevice("joining", model, sliceLimit: 3)

    // When a merge ends early, and the user adds to what it has brought.
    var merged = 0
    #expect(throws: Stopped.self) {
      try joining.replica.apply(maker.pushed, policy: .always(.latest)) { _ in
        merged += 1
        if merged > slices { throw Stopped() }
      }
    }
    joining.context.mergePendingChanges()
    if let list = try joining.context.fetch(Playlist.self).first {
      try joining.edit { context in
        let track = try context.insert(Track.self) { $0.title = "mine" }
        list.tracks.append(track)
        list.guests.insert(track, at: 0)
        list.mentions.append(track)
      }
    }
    try joining.push()
    try joining.receive(maker.pushed)
    try maker.receive(joining.pushed)

    for device in [maker, joining] {
      let list = try device.the(Playlist.self)
      for tracks in [list.tracks, list.guests, list.mentions] {
        #expect(order(tracks) == ["5", "4", "3", "2", "1", "0"])
      }
    }
  }

  /// Changes one of the lists as a user may: adds tracks, mostly at the end, moves one, removes one, or deletes one.
  private func change(_ device: ManagedDevice, using random: inout SeededGenerator) throws {
    try device.edit { context in
      let list = try #require(try context.fetch(Playlist.self).first)
      list.title = "\(device.clock.milliseconds)"
      let path: ReferenceWritableKeyPath<Playlist, [Track]> =
        [\.tracks, \.guests, \.mentions].randomElement(
          using: &random) ?? \.tracks
      var members = list[keyPath: path]
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where !members.isEmpty:
        members.append(members.remove(at: .random(in: members.indices, using: &random)))
      case 1 where !members.isEmpty:
        members.insert(members.removeLast(), at: .random(in: 0...members.count, using: &random))
      case 2 where !members.isEmpty:
        members.remove(at: .random(in: members.indices, using: &random))
      case 3 where !members.isEmpty:
        return context.delete(members[.random(in: members.indices, using: &random)])
      case 4:
        let tracks = try context.fetch(Track.self).filter { !members.contains($0) }.sorted {
          $0.title < $1.title
        }
        if let track = tracks.randomElement(using: &random) { members.append(track) }
      default:
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          members.append(
            try context.insert(Track.self) { $0.title = "\(UInt64.random(in: 0...999_999, using: &random))" })
        }
      }
      list[keyPath: path] = members
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `lists have one order, whether their changes come in small slices, one by one or all at once`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let (one, two) = (try ManagedDevice("one", model), try ManagedDevice("two", model))
    try one.edit { _ = try $0.insert(Playlist.self) }
    try ManagedDevice.exchange(one, two)
    let sliced = try ManagedDevice("sliced", model, sliceLimit: .random(in: 1...6, using: &random))
    for _ in 0..<14 {
      let device = Bool.random(using: &random) ? one : two
      device.clock.advance(.random(in: 0...3_000, using: &random))
      try change(device, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        try one.push()
        try two.push()
        try sliced.receive(one.pushed)
        try sliced.receive(two.pushed)
        if Bool.random(using: &random) { try ManagedDevice.exchange(one, two) }
      }
    }
    for device in [one, two] { try device.push() }
    try one.receive(two.pushed)
    try two.receive(one.pushed)
    try sliced.receive(two.pushed + one.pushed)
    let late = try ManagedDevice("late", model)
    try late.receive(one.pushed + two.pushed)

    let expected = try late.the(Playlist.self)
    for device in [one, two, sliced] {
      let list = try device.the(Playlist.self)
      for path in [\Playlist.tracks, \.guests, \.mentions] {
        #expect(list[keyPath: path].map(\.title) == expected[keyPath: path].map(\.title))
      }
    }
  }
}
