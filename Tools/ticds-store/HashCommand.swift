import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// `hash`: the version hash of every entity of a model.
enum HashCommand {
  private static let source = Parameter<String>.positional(
    "MODEL", "An .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store, whose own model is taken.")

  static let command = Command(
    "hash", "Prints the version hash of every entity of a model.", [source, StoreParameters.json],
    perform: { arguments, console in
      let model = try ModelArgument.load(arguments[source])
      let entities = model.entities.sorted { $0.name < $1.name }
      if try arguments[StoreParameters.json] {
        console.print(
          JSONValue.object(entities.map { .init($0.name, .string(hexadecimal($0.versionHash))) }).text)
      } else {
        for entity in entities {
          console.print("\(hexadecimal(entity.versionHash))  \(PrintableText.line(entity.name))")
        }
      }
    })

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
