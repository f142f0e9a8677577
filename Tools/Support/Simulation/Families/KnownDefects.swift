extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .lateUndo:
      "taking back what cannot be shown again forgets the value that is kept aside until it is free",
    .mergedCopies:
      "a device lacks for good what a copy of a later version's store holds and its own version does not know",
    .laterMerges:
      "an entity that gets a parent with a version shows the default of what was a counter, where nothing was written",
    .requiredLater:
      "an entity that gets a parent with a version shows a default of a version before, where nothing was written",
    .requiredBetween:
      "a device that goes from the first version to the third shows the default of the second where nothing was written",
  ]
}
