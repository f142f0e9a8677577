import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// `generate`: Swift classes for the entities of a model.
enum GenerateCommand {
  private static let model = Parameter<String>.positional(
    "MODEL", "An .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store, whose own model is taken.")
  private static let folder = Parameter<String>.positional(
    "FOLDER", "The new folder, with a file for each entity and one for the model.")
  private static let isPublic = Parameter<Bool>.flag("public", "Makes the classes public.")
  private static let overwrite = Parameter<Bool>.flag(
    "overwrite", "Replaces files that exist already. Other files in FOLDER stay.")

  static let command = Command(
    "generate", "Makes Swift classes for this library from a model; WRITES the folder FOLDER.",
    [model, folder, isPublic, overwrite],
    perform: { arguments, console in
      let path = try arguments[model]
      let model = try load(path, console)
      let source = try ClassSource(
        model, origin: PrintableText.line(URL(filePath: path).lastPathComponent),
        isPublic: arguments[isPublic])
      for problem in problems(model) { console.complain("ticds-store: not expressed: \(problem)") }
      try WholeOutput.folder(arguments[folder], overwriting: arguments[overwrite]) { folder in
        for entity in model.entities {
          try write(source.classFile(entity), "\(fileName(source.names.classes[entity.index])).swift", folder)
        }
        // No class is called so.
        try write(source.modelFile, "Model+Classes.swift", folder)
      }
    })

  private static func load(_ path: String, _ console: Console) throws -> ManagedObjectModel {
    if !ModelArgument.isFolder(path), let store = try? StoreFile(path: path) {
      if store.modelOrigin == .derived {
        console.complain(
          "ticds-store: “\(path)” does not keep its model, so names and types are guesses, and version hashes differ."
        )
      }
      return store.model
    }
    return try ModelArgument.load(path)
  }

  /// What classes cannot say.
  private static func problems(_ model: ManagedObjectModel) -> [String] {
    model.entities.flatMap { entity in
      entity.properties.compactMap { property -> String? in
        guard entity.ownPropertyNames.contains(property.name), let relationship = property.asRelationship,
          relationship.isOwnInverse, relationship.isOrdered
        else { return nil }
        return
          "\(entity.name).\(property.name) is its own inverse, and a class cannot give its members an order"
      }
    }
  }

  private static func write(_ text: String, _ name: String, _ folder: String) throws {
    let file = try NewFile("\(folder)/\(name)", shownAs: name)
    try file.write(text)
    try file.close(synchronizing: true)
  }

  /// A name that every disk takes.
  private static func fileName(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    var beginning = name
    while beginning.utf8.count > 180 { beginning.removeLast() }
    return "\(beginning)-\(name.utf8.count)"
  }
}
