import ChangeTracking
import ObjectStore

/// Merges that are taken back: with nothing between, everything shows what it showed before.
extension SimulatedClient {
  /// What a device shows, without what cannot be taken back: greatest and smallest values, for what was once contributed to them counts
  /// for ever, sums that are rounded, and counters that nobody had counted.
  func restorableContents(without kept: [UndoReport.Kept] = []) throws -> [String] {
    let identified = Dictionary(grouping: kept, by: { $0.object.string })
    return try contents { object, property in
      isFinal(property, object.entity)
        || identified[Self.identifier(object), default: []].contains { $0.key == property.name }
    }
  }

  private func isFinal(_ property: SyncSchema.Property, _ entity: EntityDescription) -> Bool {
    let type = entity.properties.compactMap(\.asAttribute).first { $0.name == property.name }?.type
    let isExact =
      property.merge == .counter && type == .integer64 && !property.initialValue.isNull
      && !features.has(.bigCounters)
    return property.merge.isFolded && !isExact
  }

  /// Takes back one of the merges so far, whatever was edited and merged since. What that shows is known from the sets that it makes.
  func takeBackLater(using random: inout SeededRandomSource) throws {
    guard let index = inverses.indices.randomElement(using: &random) else { return }
    trace("takes an earlier merge back")
    _ = try undo(inverses.remove(at: index))
  }

  func takeBack(_ inverse: MergeInverse, to before: [String]) throws {
    trace("takes a merge back")
    let report = try undo(inverse)
    // Names that sets teach are not taken back, and what is shown because of them.
    if Simulation.Family.versions.contains(where: features.has) { return }
    // A long value that the device was waiting for before cannot be had by taking back.
    let kept = features.has(.longValues) ? report.kept : []
    let after = try restorableContents(without: kept)
    let expected = kept.isEmpty ? before : after
    if after == expected { return }
    let missing = Set(expected).subtracting(after).sorted()
    let extra = Set(after).subtracting(expected).sorted()
    findings.append(
      "\(name) shows something else after a merge was taken back, kept: \(report.kept).\n  before: \(missing)\n  after:  \(extra)"
    )
  }
}
