import Foundation
import ObjectStore

/// How long a program waits for a store of a large model that is there already: until the model is built of its declarations, and until the
/// store is open and a context is made.
struct StoreOpenBenchmark {
  private static let entities = 100
  private static let rounds = 21
  private let path: String

  /// - Parameter folder: where the store is made.
  init(in folder: URL) { path = folder.appending(path: "entities.sqlite").path(percentEncoded: false) }

  /// Groups of five: four that point at each other in a circle, and one that inherits from the last of them.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: (0..<entities).map(declaration))
  }

  private static func declaration(_ number: Int) -> EntityDeclaration {
    let (group, place) = (number / 5 * 5, number % 5)
    guard place < 4 else {
      return EntityDeclaration(
        "Entity\(number)", parent: "Entity\(number - 1)",
        attributes: [AttributeDescription("detail", .string)])
    }
    return EntityDeclaration(
      "Entity\(number)",
      attributes: [
        AttributeDescription("name", .string, isIndexed: true), AttributeDescription("text", .string),
        AttributeDescription("count", .integer64), AttributeDescription("price", .double),
        AttributeDescription("created", .date), AttributeDescription("isDone", .boolean),
        AttributeDescription("image", .binary), AttributeDescription("token", .uuid),
      ],
      relationships: [
        .toMany("parts", to: "Entity\(group + (place + 1) % 4)", inverse: "whole"),
        .toOne("whole", to: "Entity\(group + (place + 3) % 4)", inverse: "parts"),
      ])
  }

  private func open(_ model: ManagedObjectModel) throws {
    let store = try PersistentStore(model: model, path: path)
    _ = try store.newContext()
  }

  func run() throws -> [Measure] {
    let model = try Self.model()
    try open(model)
    func median(_ work: () throws -> Void) rethrows -> Double {
      let clock = ContinuousClock()
      return Measure.median(try (0..<Self.rounds).map { _ in try clock.measure(work) / .milliseconds(1) })
    }
    return [
      Measure("open_ms", try median { try open(model) }, "ms"),
      Measure("model_ms", try median { _ = try Self.model() }, "ms"),
    ]
  }
}
