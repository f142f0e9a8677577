import ChangeTracking
import Foundation
import ObjectStore

/// What the benchmarks of scale keep in step: one entity for each thing that might cost more the more there is of it.
enum TrackingScaleModel {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Memo.self, Topic.self, Tally.self, Playlist.self, Track.self, Owner.self, Passport.self)
  }
}

/// A note, as the notebook has them.
final class Memo: ManagedObject {
  @Attribute var title: String = ""
  @Attribute var content: String = ""
  @Attribute var created: Date?
  @Attribute var modified: Date?
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany(inverse: \Topic.memos) var topics: Set<Topic>
}

/// A tag, as the notebook has them.
final class Topic: ManagedObject {
  @Attribute(indexed: true) var name: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?
  @ToMany var memos: Set<Memo>

  override class var entityOptions: EntityOptions? {
    EntityOptions(Topic.self, userInfo: [SyncModelKey.naturalKey: "name"])
  }
}

final class Tally: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @Attribute(userInfo: .merging(.counter)) var count: Int64 = 0
  @Attribute(userInfo: .merging(.greatest)) var best: Int64?
}

final class Playlist: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @ToMany var tracks: [Track]
}

final class Track: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @ToOne(inverse: \Playlist.tracks) var playlist: Playlist?
}

final class Owner: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @ToOne(inverse: \Passport.owner) var passport: Passport?
}

/// Its owner is the end of the pair that is recorded, for it sorts first.
final class Passport: ManagedObject {
  @Attribute var ticdsSyncID: String?
  @ToOne var owner: Owner?
}
