import CommandLineTool
import Foundation
import ObjectStore
import StoreAccess

/// `model`: the entities of a model, for people, for programs, or for Xcode.
enum ModelCommand {
  private static let source = Parameter<String>.positional(
    "FILE|MODEL", "A store, whose own model is taken, or an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
  private static let xml = Parameter<Bool>.flag(
    "xml", "Prints the contents of an .xcdatamodel, as Xcode's editor writes it.")

  static let command = Command(
    "model", "Shows the entities of a store or a model, and what they have.",
    [source, StoreParameters.json, xml],
    exclusive: [[StoreParameters.json, xml]],
    perform: { arguments, console in
      let model = try ModelArgument.load(arguments[source])
      if try arguments[xml] {
        console.write(forPrograms: model.xml)
      } else if try arguments[StoreParameters.json] {
        console.print(ModelJSON.json(model).text)
      } else {
        for entity in model.entities { show(entity, console) }
      }
    })

  private static func show(_ entity: EntityDescription, _ console: Console) {
    let parent = entity.parent.map { " : \($0.name)" } ?? ""
    console.print(PrintableText.line("\(entity.isAbstract ? "abstract " : "")entity \(entity.name)\(parent)"))
    for property in entity.properties where entity.ownPropertyNames.contains(property.name) {
      console.print(PrintableText.line("  " + words(for: property)))
    }
    for constraint in entity.ownUniquenessConstraints {
      console.print(PrintableText.line("  unique \(constraint.joined(separator: ", "))"))
    }
  }

  private static func words(for property: PropertyDescription) -> String {
    var words: [String]
    switch property {
    case .attribute(let attribute):
      words = ["\(attribute.name): \(attribute.type)"]
      if attribute.allowsExternalStorage { words.append("external storage") }
      if attribute.isIndexed { words.append("indexed") }
    case .relationship(let relationship):
      let order = relationship.isOrdered ? "ordered " : ""
      words = [
        "\(relationship.name): \(relationship.isToMany ? "\(order)to-many" : "to-one") \(relationship.destination)"
      ]
      words.append(relationship.inverse.map { "inverse \($0)" } ?? "no inverse")
      words.append("\(relationship.deleteRule)")
    }
    if property.isOptional { words.append("optional") }
    if property.isTransient { words.append("transient") }
    return words.joined(separator: ", ")
  }
}
