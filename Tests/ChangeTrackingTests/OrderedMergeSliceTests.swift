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
}
