import ChangeTracking
import Foundation
import ObjectStore

/// The model of the simulated application: one of every kind of property that is kept in step.
enum SimulationModel {
  static func make() throws -> ManagedObjectModel {
    try ManagedObjectModel(SimulatedFolder.self, SimulatedItem.self, SimulatedLabel.self)
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
  @ToOne(inverse: \SimulatedFolder.items) var folder: SimulatedFolder?
  @ToMany(inverse: \SimulatedLabel.items) var labels: Set<SimulatedLabel>
  @ToMany(inverse: \SimulatedItem.referrers) var references: Set<SimulatedItem>
  @ToMany var referrers: Set<SimulatedItem>
  @ToOne(inverse: \SimulatedLabel.emblem) var emblemOf: SimulatedLabel?
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
