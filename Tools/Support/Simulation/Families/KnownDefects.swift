extension Simulation.Family {
  /// What is left out of the default run until it is mended, and why.
  public static let knownDefects: [Simulation.Family: String] = [
    .contextUndo:
      "an object whose deletion is undone may lack its sync ID, share a natural key, or show on its device alone"
  ]
}
