extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .subEntityMoves:
      "to-many relationships to objects that leave their family differ (--only inheritance,subEntityMoves, seeds 8053 and 8064)",
    .reparentedFamilies:
      "a write before a migration with a log that is not empty is lost (--only inheritance,reparentedFamilies --steps 120, seed 5008)",
  ]
}
