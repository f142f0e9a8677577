extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .reparentedIdentifiers:
      "two objects that become one may differ (--with chosenIdentifiers,reparenting,reparentedIdentifiers, seeds 71165, 71198, 71353)"
  ]
}
