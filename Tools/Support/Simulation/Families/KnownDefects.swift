extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [:]
}
