extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .reparentedIdentifiers:
      "two objects that become one may differ (--with chosenIdentifiers,reparenting,reparentedIdentifiers, seeds 71165, 71198, 71353)",
    .unsavedEdits:
      "with merges that are taken back, a relationship may show at one side only, or show though it did not (--with unsavedEdits, seeds 579, 71263)",
  ]
}
