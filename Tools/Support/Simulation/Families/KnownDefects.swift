extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .reparentedIdentifiers:
      "of two objects that become one, the deletion of the one is not known where it was forgotten before (--with chosenIdentifiers,reparenting,reparentedIdentifiers, seed 338)",
    .unsavedEdits:
      "no seed is known to fail since 579 and 71263 pass (--with unsavedEdits); 2,000 others are still to be run",
  ]
}
