import ChangeTracking
import Foundation
import ObjectStore

/// What all devices of a run have in common.
struct Setting: Sendable {
  let features: Features
  /// The versions of the model that was drawn, in their order; empty for the fixed one.
  let versions: [DrawnModel]
  let renaming: Renaming
  let traces: Bool
  /// What contexts do with unsaved edits that met a merge.
  let mergePolicy: MergePolicy

  init(_ configuration: Simulation.Configuration) {
    features = Features(configuration)
    let policies: [MergePolicy] = [.error, .objectWins, .storeWins, .rollback]
    mergePolicy = policies[Int(configuration.seed % 4)]
    traces = configuration.traces
    var random = SeededRandomSource(seed: configuration.seed ^ 0x0de1_5eed)
    guard !features.isFixed else {
      versions = []
      renaming = Renaming()
      return
    }
    let first = DrawnModel(features: features, using: &random)
    let next = first.nextVersion(using: &random)
    let changes: [Simulation.Family] = [.addedAttributes, .renaming, .reparenting]
    versions = changes.contains(where: features.has) ? [first, next.model] : [first]
    renaming = next.renamed
  }

  var isFixed: Bool { versions.isEmpty }

  var latestVersion: Int { max(versions.count, 1) - 1 }

  /// The application's model in a version. Each process builds its own.
  func model(version: Int) throws -> ManagedObjectModel {
    isFixed ? try SimulationModel.make() : try versions[version].model()
  }

  /// Opens a store, migrating it from former versions.
  func open(_ path: String, version: Int) throws -> PersistentStore {
    var options = PersistentStore.Options()
    if version > 0 {
      let former = try (0..<version).map { try model(version: $0) }
      options.migration = Migration(from: former)
    }
    return try PersistentStore(model: model(version: version), path: path, options: options)
  }

  /// Prints what the run does, at once, for the next thing may trap.
  func trace(_ text: @autoclosure () -> String) {
    if traces { FileHandle.standardError.write(Data((text() + "\n").utf8)) }
  }
}
