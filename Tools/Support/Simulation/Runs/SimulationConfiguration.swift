/// What decides a run of a simulation.
public struct SimulationConfiguration<Family: SimulationFamily>: Sendable {
  /// Where all randomness comes from.
  public var seed: UInt64
  /// Devices at the beginning.
  public var devices: Int
  /// Actions before storage settles.
  public var steps: Int
  /// What a run may contain.
  public var families: Set<Family>
  /// Whether each run takes a random half of the families, rather than all.
  public var drawsFamilies: Bool
  /// Families that every run has, whatever is drawn.
  public var required: Set<Family> = []
  /// Whether every action is written to standard error.
  public var traces = false

  /// Describes a run.
  public init(
    seed: UInt64, devices: Int, steps: Int, families: Set<Family> = Family.passing, drawsFamilies: Bool = true
  ) {
    self.seed = seed
    self.devices = devices
    self.steps = steps
    self.families = families
    self.drawsFamilies = drawsFamilies
  }
}
