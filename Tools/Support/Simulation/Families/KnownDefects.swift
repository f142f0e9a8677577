extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .lateUndo:
      "taking back what cannot be shown again forgets the value that is kept aside until it is free",
    .requiredBetween:
      "a device that goes from the first version to the third shows the default of the second where nothing was written",
  ]
}
