import ChangeTracking
import Foundation
import ObjectStore

/// What all devices of a run have in common.
struct Setting: Sendable {
  let features: Features
  /// The versions of the model that was drawn, in their order; empty for the fixed one.
  let versions: [DrawnModel]
  /// The latest versions, by line: one, or two that contradict each other.
  let latest: [ModelVersion]
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
      latest = []
      return
    }
    var first = DrawnModel(features: features, using: &random)
    let next = first.nextVersion(using: &random)
    guard Simulation.Family.versions.contains(where: features.has) else {
      latest = [ModelVersion(model: first, renaming: Renaming())]
      versions = [first]
      return
    }
    if features.has(.contradictingNames) {
      latest = next.model.contradicting(next.renamed, "A")
      first.addContested(to: "A")
    } else if features.has(.laterVersions) {
      let third = next.model.nextVersion(after: first, using: &random)
      latest = [ModelVersion(model: third.model, renaming: next.renamed.followed(by: third.renamed))]
      versions = [first, next.model, third.model]
      return
    } else {
      latest = [ModelVersion(model: next.model, renaming: next.renamed)]
    }
    versions = [first, latest[0].model]
  }

  var isFixed: Bool { versions.isEmpty }

  var latestVersion: Int { max(versions.count, 1) - 1 }

  /// The application's model in a version. Each process builds its own.
  ///
  /// - Parameter line: which of the latest versions that contradict each other follows on the former ones.
  func model(version: Int, line: Int) throws -> ManagedObjectModel {
    if isFixed { return try SimulationModel.make() }
    return try (version > 0 && version == latestVersion ? latest[line].model : versions[version]).model()
  }

  /// Opens a store, migrating it from former versions.
  ///
  /// - Parameter model: that of the version, if there is one already.
  func open(
    _ path: String, version: Int, line: Int, model: ManagedObjectModel? = nil
  ) throws -> PersistentStore {
    var options = PersistentStore.Options()
    if version > 0 {
      let former = try (0..<version).map { try self.model(version: $0, line: line) }
      options.migration = Migration(from: former)
    }
    let model = try model ?? self.model(version: version, line: line)
    return try PersistentStore(model: model, path: path, options: options)
  }

  /// What the names in sets are in a line's latest version.
  func renaming(line: Int) -> Renaming { isFixed ? Renaming() : latest[line].renaming }

  /// Whether names in a set contradict a line's latest version.
  func contradicts(_ set: ChangeSet, line: Int) -> Bool {
    guard features.has(.contradictingNames) else { return false }
    let renaming = renaming(line: line)
    func differs(_ name: String, _ former: [String], _ names: [String: String]) -> Bool {
      former.contains { former in names[former].map { $0 != name } ?? false }
    }
    return set.entities.contains { entity in
      differs(entity.name, entity.formerNames, renaming.entities)
        || entity.properties.contains { differs($0.name, $0.formerNames, renaming.properties) }
    }
  }

  /// Prints what the run does, at once, for the next thing may trap.
  func trace(_ text: @autoclosure () -> String) {
    if traces { FileHandle.standardError.write(Data((text() + "\n").utf8)) }
  }
}
