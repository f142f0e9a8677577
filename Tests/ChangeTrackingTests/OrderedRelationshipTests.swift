import Foundation
import ObjectStore
import Testing

@testable import ChangeTracking

final class Playlist: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var title: String = ""
  @ToMany var tracks: [Track]
  @ToMany var guests: [Track]
  @ToMany var mentions: [Track]
}

final class Track: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var title: String = ""
  /// One-to-many, ordered at the other end.
  @ToOne(inverse: \Playlist.tracks) var playlist: Playlist?
  /// Many-to-many, ordered at the other end.
  @ToMany(inverse: \Playlist.guests) var guestOf: Set<Playlist>
  /// Many-to-many, ordered at both ends.
  @ToMany(inverse: \Playlist.mentions) var mentionedBy: [Playlist]
}

@Suite struct OrderedRelationshipTests {
  private let here: ManagedDevice
  private let there: ManagedDevice

  /// Two devices that know a list of four tracks, in each kind of ordered relationship.
  init() throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    here = try ManagedDevice("here", model)
    there = try ManagedDevice("there", model)
    try here.edit { context in
      let list = try context.insert(Playlist.self)
      list.title = "list"
      for title in ["a", "b", "c", "d"] {
        let track = try context.insert(Track.self)
        track.title = title
        list.tracks.append(track)
        list.guests.append(track)
        list.mentions.append(track)
      }
    }
    try ManagedDevice.exchange(here, there)
  }

  enum Kind: CaseIterable, Sendable { case oneToMany, oneSide, bothSides }

  private func order(_ device: ManagedDevice, _ kind: Kind) throws -> [String] {
    try members(device, kind).map(\.title)
  }

  private func members(_ device: ManagedDevice, _ kind: Kind) throws -> [Track] {
    let list = try list(on: device)
    return switch kind {
    case .oneToMany: list.tracks
    case .oneSide: list.guests
    case .bothSides: list.mentions
    }
  }

  private func list(on device: ManagedDevice, _ title: String = "list") throws -> Playlist {
    device.context.mergePendingChanges()
    return try #require(try device.context.first(Playlist.self, where: \.title == title))
  }

  private func change(_ device: ManagedDevice, _ kind: Kind, _ body: (inout [Track]) throws -> Void) throws {
    try device.edit { _ in
      var members = try members(device, kind)
      try body(&members)
      let list = try list(on: device)
      switch kind {
      case .oneToMany: list.tracks = members
      case .oneSide: list.guests = members
      case .bothSides: list.mentions = members
      }
    }
  }

  private func move(_ title: String, to position: Int, on device: ManagedDevice, _ kind: Kind) throws {
    try change(device, kind) { members in
      let track = members.remove(at: try #require(members.firstIndex { $0.title == title }))
      members.insert(track, at: position)
    }
  }

  private func add(_ title: String, at position: Int, on device: ManagedDevice, _ kind: Kind) throws {
    try change(device, kind) { members in
      let track = try device.context.insert(Track.self)
      track.title = title
      members.insert(track, at: position)
    }
  }

  @Test(arguments: Kind.allCases)
  func `a list has the same order everywhere`(kind: Kind) throws {
    #expect(try order(there, kind) == ["a", "b", "c", "d"])
  }

  @Test(arguments: Kind.allCases)
  func `a move travels as one change and nothing else`(kind: Kind) throws {
    try move("d", to: 0, on: here, kind)
    let sets = try here.push()
    #expect(sets.flatMap(\.set.syncChanges).map(\.kind) == [.memberPlaced])
    try there.receive(sets)
    #expect(try order(there, kind) == ["d", "a", "b", "c"])
    #expect(try there.push().isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `of concurrent moves of different members both are seen`(kind: Kind) throws {
    try move("a", to: 3, on: here, kind)
    try move("d", to: 0, on: there, kind)
    try ManagedDevice.exchange(here, there)
    #expect(try order(here, kind) == ["d", "b", "c", "a"])
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test(arguments: Kind.allCases)
  func `of concurrent moves of one member the later is seen, and it stands there once`(kind: Kind) throws {
    try move("a", to: 1, on: here, kind)
    there.clock.advance(60_000)
    try move("a", to: 3, on: there, kind)
    try ManagedDevice.exchange(here, there)
    #expect(try order(here, kind) == ["b", "c", "d", "a"])
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test(arguments: Kind.allCases)
  func `concurrent reorderings of a whole list agree, and every member stays`(kind: Kind) throws {
    try change(here, kind) { $0.reverse() }
    try change(there, kind) {
      $0.sort { ($0.title == "c" ? "" : $0.title) < ($1.title == "c" ? "" : $1.title) }
    }
    try ManagedDevice.exchange(here, there)
    #expect(try order(there, kind) == order(here, kind))
    #expect(try order(here, kind).sorted() == ["a", "b", "c", "d"])
  }

  @Test(arguments: Kind.allCases)
  func `members put at one place by two devices stand together by device`(kind: Kind) throws {
    for index in 0..<3 { try add("h\(index)", at: 2 + index, on: here, kind) }
    for index in 0..<3 { try add("t\(index)", at: 2 + index, on: there, kind) }
    try ManagedDevice.exchange(here, there)
    let (mine, theirs) = (["h0", "h1", "h2"], ["t0", "t1", "t2"])
    #expect(
      try [["a", "b"] + mine + theirs + ["c", "d"], ["a", "b"] + theirs + mine + ["c", "d"]].contains(
        order(here, kind)))
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test(arguments: Kind.allCases)
  func `a move does not bring back what was removed meanwhile`(kind: Kind) throws {
    try change(here, kind) { $0.removeFirst() }
    there.clock.advance(60_000)
    try move("a", to: 2, on: there, kind)
    try ManagedDevice.exchange(here, there)
    #expect(try order(here, kind) == ["b", "c", "d"])
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test(arguments: Kind.allCases)
  func `a move of a member that was deleted meanwhile is forgotten`(kind: Kind) throws {
    try here.edit { $0.delete(try members(here, kind)[1]) }
    try move("b", to: 3, on: there, kind)
    try ManagedDevice.exchange(here, there)
    #expect(try order(here, kind) == ["a", "c", "d"])
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test(arguments: Kind.allCases)
  func `who comes last sees the order of a list that many have changed`(kind: Kind) throws {
    for round in 0..<6 {
      try move(["a", "c", "d"][round % 3], to: (round + 1) % 4, on: round % 2 == 0 ? here : there, kind)
      try add("n\(round)", at: round % 3, on: round % 2 == 0 ? there : here, kind)
      try ManagedDevice.exchange(here, there)
    }
    let late = try ManagedDevice("late", try ManagedObjectModel(Playlist.self, Track.self))
    try late.receive(there.pushed + here.pushed)
    #expect(try order(late, kind) == order(here, kind))
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test func `places that come before the members and the list are kept for them`() throws {
    try move("d", to: 0, on: here, .oneToMany)
    let late = try ManagedDevice("late", try ManagedObjectModel(Playlist.self, Track.self))
    let first = here.pushed
    let second = try here.push()
    // Sets of one author come in order; another author's may come first.
    try there.receive(second)
    try move("c", to: 0, on: there, .oneToMany)
    try late.receive(try there.push())
    try late.receive(first + second)
    #expect(try order(late, .oneToMany) == ["c", "d", "a", "b"])
  }

  @Test func `an object that changes lists takes its place in the new one from there`() throws {
    try here.edit { context in
      let other = try context.insert(Playlist.self)
      other.title = "other"
      for title in ["x", "y"] {
        let track = try context.insert(Track.self)
        track.title = title
        other.tracks.append(track)
      }
    }
    try ManagedDevice.exchange(here, there)
    // One moves a track within its list while the other puts it into another list.
    try move("a", to: 3, on: here, .oneToMany)
    there.clock.advance(60_000)
    try there.edit { _ in
      let track = try members(there, .oneToMany)[0]
      try list(on: there, "other").tracks.insert(track, at: 1)
    }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try order(device, .oneToMany) == ["b", "c", "d"])
      #expect(try list(on: device, "other").tracks.map(\.title) == ["x", "a", "y"])
    }
  }

  @Test func `a to-one relationship set at its own end puts the object at the end of the list`() throws {
    try here.edit { context in
      let track = try context.insert(Track.self)
      track.title = "e"
      track.playlist = try list(on: here)
    }
    try ManagedDevice.exchange(here, there)
    #expect(try order(there, .oneToMany) == ["a", "b", "c", "d", "e"])
  }

  @Test(arguments: Kind.allCases)
  func `lists that were there before the store was synchronised keep their order`(kind: Kind) throws {
    let model = try ManagedObjectModel(Playlist.self, Track.self)
    let path = here.folder.file("older")
    do {
      let context = try PersistentStore(model: model, path: path).newContext()
      let list = try context.insert(Playlist.self)
      list.title = "list"
      let tracks = try ["d", "b", "a", "c"].map { title in
        try context.insert(Track.self) { $0.title = title }
      }
      list.tracks = tracks
      list.guests = tracks
      list.mentions = tracks
      try context.save()
    }
    let old = try ManagedDevice("old", model, path: path)
    let new = try ManagedDevice("new", model)
    try ManagedDevice.exchange(old, new)
    #expect(try order(new, kind) == ["d", "b", "a", "c"])
    #expect(try order(old, kind) == ["d", "b", "a", "c"])
  }

  @Test(arguments: Kind.allCases)
  func `a member that was deleted and made again goes to the end, wherever it stood`(kind: Kind) throws {
    let identifier = try #require(try members(here, kind)[0].ticdsSyncID)
    try here.edit { $0.delete(try members(here, kind)[0]) }
    try here.edit { context in
      let track = try context.insert(Track.self)
      track.title = "again"
      track.ticdsSyncID = identifier
      let list = try list(on: here)
      switch kind {
      case .oneToMany: list.tracks.append(track)
      case .oneSide: list.guests.append(track)
      case .bothSides: list.mentions.append(track)
      }
    }
    try ManagedDevice.exchange(here, there)
    #expect(try order(here, kind) == ["b", "c", "d", "again"])
    #expect(try order(there, kind) == order(here, kind))
  }

  @Test func `both ends of a many-to-many relationship keep an order of their own`() throws {
    try here.edit { context in
      let other = try context.insert(Playlist.self)
      other.title = "other"
      let track = try members(here, .bothSides)[3]
      track.mentionedBy.insert(other, at: 0)
      other.mentions.append(try members(here, .bothSides)[0])
    }
    try ManagedDevice.exchange(here, there)
    for device in [here, there] {
      #expect(try order(device, .bothSides) == ["a", "b", "c", "d"])
      #expect(try list(on: device, "other").mentions.map(\.title) == ["d", "a"])
      #expect(try members(device, .bothSides)[3].mentionedBy.map(\.title) == ["other", "list"])
    }
  }
}
