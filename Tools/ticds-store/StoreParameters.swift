import CommandLineTool
import Foundation
import ObjectStore

/// The parameters that several verbs share, and how they open what is named.
enum StoreParameters {
  static let file = Parameter<String>.positional("FILE", "The store, SQLite or binary. It is not written.")
  static let model = Parameter<String?>.optional(
    "model", placeholder: "MODEL",
    "The model to read it with: an .xcdatamodeld, .xcdatamodel, .momd or .mom. Without it the store's own.")
  static let json = Parameter<Bool>.flag("json", "Prints JSON for programs.")

  static func open(_ arguments: Arguments) throws -> StoreFile {
    try StoreFile(path: arguments[file], model: arguments[model].map(loadModel))
  }

  static func loadModel(_ path: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOf: URL(filePath: path))
  }

  /// The entity of this name, or a failure that names the nearest ones.
  static func entity(_ name: String, of model: ManagedObjectModel) throws(ToolFailure) -> EntityDescription {
    if let entity = model.entity(named: name) { return entity }
    let names = model.entities.map(\.name)
    if let entity = names.first(where: { $0.lowercased() == name.lowercased() }) {
      throw ToolFailure(.notFound, "there is no entity “\(name)”", advice: "did you mean “\(entity)”?")
    }
    throw ToolFailure(
      .notFound, "there is no entity “\(name)”", advice: "the store has \(names.joined(separator: ", "))")
  }
}
