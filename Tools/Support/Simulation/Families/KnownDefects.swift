extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .mergedCopies:
      "what two devices have not sent and did at one very time is one author's once the one merges a copy of the other's store"
  ]
}
