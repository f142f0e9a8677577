import ObjectStore

/// A note, as the simulated application keeps it.
final class SimulatedNote: ManagedObject {
  @Attribute(indexed: true) var ticdsSyncID: String?
  @Attribute var name: String = ""
  @Attribute var text: String = ""
}
