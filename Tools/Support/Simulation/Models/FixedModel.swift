import ChangeTracking
import Foundation
import ObjectStore

/// The model of the simulated application: one of every kind of property that is kept in step.
enum SimulationModel {
  static func make() throws -> ManagedObjectModel {
    try ManagedObjectModel(SimulatedFolder.self, SimulatedItem.self, SimulatedLabel.self, SimulatedShelf.self)
  }
}

final class SimulatedFolder: ManagedObject {
  override class var entityOptions: EntityOptions? { EntityOptions(SimulatedFolder.self, name: "Folder") }

  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String?
  @ToOne(inverse: \SimulatedFolder.children) var parent: SimulatedFolder?
  @ToMany(deleteRule: .cascade) var children: Set<SimulatedFolder>
  @ToMany(deleteRule: .cascade) var items: Set<SimulatedItem>
}

final class SimulatedItem: ManagedObject {
  override class var entityOptions: EntityOptions? { EntityOptions(SimulatedItem.self, name: "Item") }

  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var text: String?
  @Attribute var count: Int64?
  @Attribute var weight: Double?
  @Attribute var due: Date?
  @Attribute var isDone: Bool?
  @Attribute var picture: Data?
  @Attribute(userInfo: .merging(.counter)) var votes: Int64 = 0
  @Attribute(userInfo: .merging(.counter)) var balance: Double?
  @Attribute(userInfo: .merging(.greatest)) var seen: Date?
  @Attribute(userInfo: .merging(.smallest)) var record: Int64?
  @Attribute(userInfo: .merging(.group("span"))) var start: Int64?
  @Attribute(userInfo: .merging(.group("span"))) var end: Int64?
  @ToOne(inverse: \SimulatedFolder.items) var folder: SimulatedFolder?
  @ToMany(inverse: \SimulatedLabel.items) var labels: Set<SimulatedLabel>
  @ToMany(inverse: \SimulatedItem.referrers) var references: Set<SimulatedItem>
  @ToMany var referrers: Set<SimulatedItem>
  @ToOne(inverse: \SimulatedLabel.emblem) var emblemOf: SimulatedLabel?
  @ToOne(inverse: \SimulatedShelf.row) var shelf: SimulatedShelf?
  @ToMany(inverse: \SimulatedShelf.stack) var stacks: Set<SimulatedShelf>
  @ToMany(inverse: \SimulatedShelf.queue) var queues: [SimulatedShelf]
}

/// Ordered relationships of all kinds: one-to-many, and many-to-many with one side ordered and with both.
final class SimulatedShelf: ManagedObject {
  override class var entityOptions: EntityOptions? {
    EntityOptions(SimulatedShelf.self, name: "Shelf", userInfo: [SyncModelKey.naturalKey: "name"])
  }

  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String?
  @Attribute(userInfo: .merging(.counter)) var uses: Int64 = 10
  @ToMany var row: [SimulatedItem]
  @ToMany var stack: [SimulatedItem]
  @ToMany var queue: [SimulatedItem]
}

final class SimulatedLabel: ManagedObject {
  override class var entityOptions: EntityOptions? {
    EntityOptions(SimulatedLabel.self, name: "Label", userInfo: [SyncModelKey.naturalKey: "name"])
  }

  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String?
  @Attribute var color: String?
  @ToMany var items: Set<SimulatedItem>
  @ToOne var emblem: SimulatedItem?
}
