import Foundation
import ObjectStore

/// What all devices of a run have in common.
struct Setting: Sendable {
  let features: Features
  /// The model that was drawn; `nil` for the fixed one.
  let drawn: DrawnModel?
  let traces: Bool

  init(_ configuration: Simulation.Configuration) {
    features = Features(configuration)
    traces = configuration.traces
    var random = SeededRandomSource(seed: configuration.seed ^ 0x0de1_5eed)
    drawn = features.isFixed ? nil : DrawnModel(features: features, using: &random)
  }

  /// The application's model. Each process builds its own.
  func model() throws -> ManagedObjectModel { try drawn?.model() ?? SimulationModel.make() }

  /// Tells a person what the run does; at once, for the next thing may trap.
  func trace(_ text: @autoclosure () -> String) {
    if traces { FileHandle.standardError.write(Data((text() + "\n").utf8)) }
  }
}
