import CommandLineTool
import Foundation
import ObjectStore

/// `compile`: makes of a model what applications on Apple's systems load.
enum CompileCommand {
  private static let model = Parameter<String>.positional(
    "MODEL", "An .xcdatamodeld, .xcdatamodel, .momd or .mom.")
  private static let file = Parameter<String>.positional(
    "FILE", "The new .momd, with all versions of the model, or .mom, with the current one.")

  static let command = Command(
    "compile", "Compiles a model as Xcode does; WRITES the file or folder FILE.", [model, file],
    perform: { arguments, _ in
      let destination = URL(filePath: try arguments[file])
      guard ["momd", "mom"].contains(destination.pathExtension) else {
        throw ToolFailure(
          .usage, "the name of a compiled model ends in .momd or .mom: \(destination.lastPathComponent)")
      }
      try ModelCompiler.compile(URL(filePath: arguments[model]), to: destination)
    })
}
