import Simulation

extension ProtocolSimulation.Family {
  /// What happens to stores and devices, whatever storage does.
  private static let ofStores: Set<Self> = [
    .restoredStores, .clonedStores, .wrongClocks, .wholeStores, .vacuums, .crashes,
  ]

  /// Draws what happens in a run.
  static func draw(_ configuration: ProtocolSimulation.Configuration) -> Set<Self> {
    // Apart, so that a run with the families that were drawn for it is the same run.
    var draw = SeededRandomSource(seed: ~configuration.seed)
    // Sorted, for the order of a set differs from run to run.
    let candidates = configuration.families.subtracting([
      .removals, .longTexts, .passwords, .obstructions, .deletions, .answers, .departures,
    ])
    .sorted { $0.rawValue < $1.rawValue }
    // Where storage fails in many ways, stores hardly grow old: in some runs it is mostly honest, and stores have all kinds of fates.
    let isHonest = configuration.drawsFamilies && draw.oneIn(4)
    var families = Set(
      candidates.filter { family in
        guard configuration.drawsFamilies else { return true }
        guard isHonest else { return Bool.random(using: &draw) }
        return ofStores.contains(family) ? !draw.oneIn(4) : draw.oneIn(8)
      })
    families.formUnion(configuration.required)
    if configuration.required.contains(.deletions) { families.remove(.foundingRaces) }
    // Copies of a folder cannot go back one by one without the replicator's taking it for removals.
    if families.contains(.replicated) { families.subtract([.rolledBack, .staleListings, .lateFiles]) }
    // A founding of which no store is left is accepted by nobody, as that of a deleted document is not.
    if families.contains(.foundingRaces) { families.subtract([.restoredStores, .clonedStores]) }
    if !families.contains(.foundingRaces) { families.remove(.lostRecords) }
    if configuration.required.contains(.vacuums) { families.insert(.wholeStores) }
    if !families.contains(.wholeStores) { families.remove(.vacuums) }
    // Where storage loses whole stores for good, who lacks what they contain has nothing to begin with until somebody uploads another.
    let lossy: Set = [Self.lostFiles, .torn, .rolledBack]
    if families.contains(.vacuums), !families.isDisjoint(with: lossy) {
      if configuration.required.contains(.vacuums) || draw.oneIn(3) {
        families.subtract(lossy)
      } else {
        families.remove(.vacuums)
      }
    }
    // Who joins what another has founded needs the password of that one.
    if !families.isSuperset(of: [.encrypted, .foundingRaces]) { families.remove(.severalPasswords) }
    // Last, so that a run without it is the one that it was before there was this family.
    if configuration.families.contains(.removals), !configuration.drawsFamilies || Bool.random(using: &draw) {
      families.insert(.removals)
    }
    if configuration.families.contains(.longTexts), !configuration.drawsFamilies || Bool.random(using: &draw)
    {
      families.insert(.longTexts)
    }
    if configuration.families.contains(.passwords), families.contains(.encrypted),
      !configuration.drawsFamilies || Bool.random(using: &draw)
    {
      families.insert(.passwords)
    }
    if configuration.required.contains(.obstructions) { families.remove(.vacuums) }
    // What folders take the place of is lost.
    if configuration.families.contains(.obstructions), !families.contains(.vacuums),
      !configuration.drawsFamilies || Bool.random(using: &draw)
    {
      families.insert(.obstructions)
    }
    // Who has a founding of his own that nobody else knows has a document of his own.
    if configuration.families.contains(.deletions), !families.contains(.foundingRaces),
      !configuration.drawsFamilies || draw.oneIn(3)
    {
      families.insert(.deletions)
    }
    if configuration.families.contains(.answers), !configuration.drawsFamilies || Bool.random(using: &draw) {
      families.insert(.answers)
    }
    // Whoever joins has the first password, and meets one founding.
    if configuration.families.contains(.departures), families.isDisjoint(with: [.foundingRaces, .passwords]),
      !configuration.drawsFamilies || configuration.required.contains(.departures) || draw.oneIn(3)
    {
      families.insert(.departures)
    } else {
      families.remove(.departures)
    }
    return families
  }
}
