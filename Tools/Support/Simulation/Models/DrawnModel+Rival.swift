import ChangeTracking
import ObjectStore

/// A version of a model with what its names were before.
struct ModelVersion: Sendable {
  var model: DrawnModel
  var renaming: Renaming
}

/// Two versions of the model that contradict each other, as if two people had gone on from one version.
///
/// Both have the same names. They differ in which of two attributes got which of two new names, in which of two new entities had a name
/// before that nobody has heard, and in the root of one of these.
extension DrawnModel {
  /// Adds to the first version what the next ones contradict each other about.
  ///
  /// - Parameter entity: what gets the attributes.
  mutating func addContested(to entity: String) {
    for name in Self.sides { add(AttributeDescription(name, .string), to: entity) }
    add("X", parent: nil, formerly: nil)
  }

  /// The next version and its rival, of one that has nothing contested yet.
  ///
  /// - Parameter entity: what has the attributes in the first version.
  func contradicting(_ renaming: Renaming, _ entity: String) -> [ModelVersion] {
    (0...1).map { line in
      var version = ModelVersion(model: self, renaming: renaming)
      for (index, name) in Self.sides.enumerated() {
        let new = Self.sides[index ^ line] + "er"
        var attribute = AttributeDescription(new, .string)
        attribute.renamingIdentifier = name
        version.model.add(attribute, to: renaming.entities[entity] ?? entity)
        version.renaming.properties[name] = new
      }
      version.model.add("X", parent: nil, formerly: nil)
      // Who knows neither name forgets deletions of one apart from insertions of the other.
      if !features.has(.collection) { version.addClaimants(line) }
      return version
    }
  }

  private static let sides = ["left", "right"]

  private mutating func add(_ attribute: AttributeDescription, to entity: String) {
    guard let index = declarations.firstIndex(where: { $0.name == entity }) else { return }
    declarations[index].properties.append(.attribute(attribute))
  }

  fileprivate mutating func add(_ name: String, parent: String?, formerly former: String?) {
    var entity = EntityDeclaration(name, parent: parent)
    if parent == nil {
      entity.properties.append(
        .attribute(AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)))
    }
    if name != "X" {
      entity.properties.append(.attribute(AttributeDescription("remark", .string)))
    }
    entity.renamingIdentifier = former
    declarations.append(entity)
  }
}

extension ModelVersion {
  fileprivate mutating func addClaimants(_ line: Int) {
    // Of two objects with one identifier it would depend on the version whether they are one.
    let mayBeOne = model.features.has(.chosenIdentifiers) || model.features.has(.copiedIdentifiers)
    let parent = line == 0 && !mayBeOne ? "X" : nil
    model.add("Y", parent: parent, formerly: line == 0 ? "Ghost" : nil)
    model.add("Z", parent: nil, formerly: line == 1 ? "Ghost" : nil)
    renaming.placed = ["Y": parent ?? "Y", "Z": "Z"]
    renaming.entities["Ghost"] = line == 0 ? "Y" : "Z"
  }
}
