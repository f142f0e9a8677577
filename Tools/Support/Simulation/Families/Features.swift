/// The families that one run has, drawn from its seed.
///
/// A random half of the families in each run finds more than all of them in every run, for they get into each other's way (Groce
/// and others, "Swarm Testing", 2012), and what fails says which few families it takes.
struct Features: Sendable {
  let isFixed: Bool
  private let families: Set<Simulation.Family>

  init(_ configuration: Simulation.Configuration) {
    let enabled = configuration.families
    // Apart from the numbers of the run itself, so that a fixed run is the same whatever else is enabled.
    var random = SeededRandomSource(seed: configuration.seed ^ 0x5eed_0f_fea7)
    let drawsFixed = Int.random(in: 0..<4, using: &random) == 0
    isFixed =
      enabled.contains(.fixed) && (enabled == [.fixed] || drawsFixed && configuration.required.isEmpty)
    var families: Set<Simulation.Family> = []
    for family in Simulation.Family.allCases {
      let isDrawn = Bool.random(using: &random)
      if enabled.contains(family),
        isDrawn || !configuration.drawsFamilies || configuration.required.contains(family)
      {
        families.insert(family)
      }
    }
    families.remove(.fixed)
    // Which root a single entity has does not follow from what both lines say.
    if families.contains(.contradictingNames) {
      families.subtract([.subEntityMoves, .freedEntities, .commonParent, .laterVersions])
    }
    // Copies alone can say two things at one time.
    if families.contains(.equalClocks) {
      families.insert(.copies)
      families.subtract([.clockJumps, .orderedClockJumps, .farClocks])
    }
    // Which of two values of one time is the greater depends on their type.
    if families.contains(.equalClocks) || families.contains(.forgedTwins) { families.remove(.changedTypes) }
    if families.contains(.chosenIdentifiers), !families.contains(.reparentedIdentifiers) {
      families.subtract([.reparenting, .commonParent])
    }
    self.families = isFixed ? [.copies, .collection] : families
  }

  func has(_ family: Simulation.Family) -> Bool { families.contains(family) }

  /// Whether devices begin with snapshots of others.
  var takesSnapshots: Bool { !has(.externalStorage) || has(.externalSnapshots) }

  var clocksJump: Bool { has(.clockJumps) && (!has(.ordered) || has(.orderedClockJumps)) }

  /// The families as the command line takes them.
  var text: String {
    isFixed
      ? "fixed"
      : Simulation.Family.allCases.filter(families.contains).map(\.rawValue).joined(separator: ",")
  }
}
