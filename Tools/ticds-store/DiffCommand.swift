import CommandLineTool
import ObjectStore
import StoreAccess

/// `diff`: what two versions of a model, or two copies of a store, do not say alike.
enum DiffCommand {
  private static let first = Parameter<String>.positional("OLD", "A store or a model.")
  private static let second = Parameter<String>.positional("NEW", "What it became: a store or a model.")
  private static let model = Parameter<String?>.optional(
    "model", placeholder: "MODEL", "The model to read both stores with. Without it each store's own.")
  private static let modelOnly = Parameter<Bool>.flag("model-only", "Compares the models of stores alone.")

  /// The version of what `--json` prints.
  private static let version: JSONValue = 1

  static let command = Command.withStatus(
    "diff", "Compares two models, or two copies of a store, object by object; ends with 1 if they differ.",
    [first, second, model, modelOnly, StoreParameters.lossy, StoreParameters.json],
    body: { arguments, console in
      let named = try arguments[model].map(ModelArgument.load)
      let sides = [
        try Side(arguments[first], model: named, isModelOnly: arguments[modelOnly]),
        try Side(arguments[second], model: named, isModelOnly: arguments[modelOnly]),
      ]
      let models = ModelDifferences(from: sides[0].model, to: sides[1].model)
      var stores: StoreDifferences?
      var isIncomplete = false
      if let old = sides[0].store, let new = sides[1].store {
        stores = StoreDifferences(first: old, second: new, mapping: models.mapping)
        isIncomplete = try warn(old, new, console) && !arguments[StoreParameters.lossy]
      }
      let count =
        try arguments[StoreParameters.json]
        ? printJSON(models, stores, console) : show(models, stores, console)
      return isIncomplete ? .incomplete : count > 0 ? .findings : .success
    })

  /// What is compared, and the store if it is one.
  private struct Side {
    let model: ManagedObjectModel
    var store: StoreFile?

    init(_ path: String, model named: ManagedObjectModel?, isModelOnly: Bool) throws {
      guard try Self.isStore(path) else {
        model = try ModelArgument.load(path)
        return
      }
      let store = try StoreFile(path: path, model: named)
      model = store.model
      self.store = isModelOnly ? nil : store
    }

    private static func isStore(_ path: String) throws -> Bool {
      if ModelArgument.isFolder(path) { return false }
      do {
        _ = try StoreFile.kind(of: path)
        return true
      } catch {
        guard error.code == .otherFormat else { throw error }
        return false
      }
    }
  }

  /// Says what keeps two stores from being compared as a whole.
  ///
  /// - Returns: whether something in them was not compared.
  private static func warn(_ old: StoreFile, _ new: StoreFile, _ console: Console) throws -> Bool {
    if old.uuid != new.uuid {
      console.complain(
        "ticds-store: the stores are not copies of one another, for their identities differ; their keys are compared all the same"
      )
    }
    var isIncomplete = false
    for store in [old, new] {
      for loss in try store.unreadContents() {
        isIncomplete = true
        console.complain(PrintableText.line("ticds-store: not compared: \(store.path): \(loss)"))
      }
    }
    return isIncomplete
  }

  // MARK: For people

  private static func show(
    _ models: ModelDifferences, _ stores: StoreDifferences?, _ console: Console
  ) throws -> Int {
    for trait in models.traits { console.print("~ model \(words(for: trait))") }
    for entity in models.entities {
      let name = [entity.formerName, entity.name].compactMap { $0.map(PrintableText.line) }
      let hash = entity.kind == .changed && entity.changesHash ? ", the version hash differs" : ""
      console.print("\(mark(entity.kind)) entity \(name.joined(separator: " → "))\(hash)")
      for trait in entity.traits { console.print("    \(words(for: trait))") }
      for property in entity.properties { show(property, console) }
    }
    for problem in models.mapping.problems {
      console.print("  not to be inferred by a migration: \(PrintableText.line(problem))")
    }
    let objects = try stores?.forEach { object in
      console.print("\(mark(object.kind)) \(PrintableText.line(object.uri))")
      for property in object.properties {
        console.print("    \(PrintableText.line(property.name)): \(words(for: property, object.kind))")
      }
    }
    let count = models.count + (objects ?? 0)
    if count == 0 { console.print(stores == nil ? "The models are equal." : "Both stores are equal.") }
    return count
  }

  private static func show(_ property: ModelDifferences.Property, _ console: Console) {
    let name = [property.formerName, property.name].compactMap { $0.map(PrintableText.line) }
      .joined(separator: " → ")
    let traits =
      property.kind == .added
      ? property.traits.filter { $0.name == "type" || $0.name == "destination" } : property.traits
    console.print("    \(mark(property.kind)) \(name)")
    for trait in traits { console.print("        \(words(for: trait))") }
  }

  private static func mark(_ kind: ModelDifferences.Kind) -> String {
    switch kind {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    }
  }

  private static func words(for trait: ModelDifferences.Trait) -> String {
    trait.first == .null
      ? "\(trait.name): \(shown(trait.second))"
      : "\(trait.name): \(shown(trait.first)) → \(shown(trait.second))"
  }

  private static func words(for property: StoreDifferences.Property, _ kind: ModelDifferences.Kind) -> String
  {
    switch (property.first, property.second) {
    case (.array(let old)?, .array(let new)?): words(for: old, new)
    case (let old?, nil): shown(old)
    case (nil, let new?) where kind == .added: shown(new)
    case (let old, let new): "\(old.map(shown) ?? "nothing") → \(new.map(shown) ?? "nothing")"
    }
  }

  /// Members that came and went, for a list of thousands in which one changed says little.
  private static func words(for old: [JSONValue], _ new: [JSONValue]) -> String {
    let (before, after) = (Set(old.map(\.line)), Set(new.map(\.line)))
    let changes =
      new.filter { !before.contains($0.line) }.map { "+" + shown($0) }
      + old.filter { !after.contains($0.line) }.map { "-" + shown($0) }
    if changes.isEmpty { return "in another order" }
    let rest = changes.count - memberLimit
    return changes.prefix(memberLimit).joined(separator: " ") + (rest > 0 ? " and \(rest) more" : "")
  }

  /// How many members of a relationship are shown, and how many characters of a value.
  private static let memberLimit = 10
  private static let textLimit = 80

  private static func shown(_ value: JSONValue) -> String {
    let text = value.line
    let start = text.prefix(textLimit + 1)
    return PrintableText.line(String(start.prefix(textLimit))) + (start.count > textLimit ? "…" : "")
  }

  // MARK: For programs

  private static func printJSON(
    _ models: ModelDifferences, _ stores: StoreDifferences?, _ console: Console
  ) throws -> Int {
    console.write("{\n\"version\": \(version.text),\n\"model\": \(json(models).line),\n\"objects\": ")
    guard let stores else {
      console.print("null\n}")
      return models.count
    }
    console.write("[")
    var isFirst = true
    let count = try stores.forEach { object in
      console.write((isFirst ? "\n" : ",\n") + json(object).line)
      isFirst = false
    }
    console.print("\n]}")
    return models.count + count
  }

  private static func json(_ models: ModelDifferences) -> JSONValue {
    [
      "traits": json(models.traits),
      "entities": .array(
        models.entities.map { entity in
          [
            "kind": .string(entity.kind.rawValue), "name": .string(entity.name),
            "formerName": entity.formerName.map { .string($0) } ?? .null,
            "changesHash": .boolean(entity.changesHash), "traits": json(entity.traits),
            "properties": .array(
              entity.properties.map { property in
                [
                  "kind": .string(property.kind.rawValue), "name": .string(property.name),
                  "formerName": property.formerName.map { .string($0) } ?? .null,
                  "traits": json(property.traits),
                ]
              }),
          ]
        }),
      "problems": .array(models.mapping.problems.map { .string($0) }),
    ]
  }

  private static func json(_ traits: [ModelDifferences.Trait]) -> JSONValue {
    .array(
      traits.map { ["name": .string($0.name), "first": $0.first, "second": $0.second] })
  }

  private static func json(_ object: StoreDifferences.Object) -> JSONValue {
    [
      "kind": .string(object.kind.rawValue), "entity": .string(object.entity), "id": .string(object.uri),
      "properties": .array(
        object.properties.map { property in
          [
            "name": .string(property.name), "first": property.first ?? .null,
            "second": property.second ?? .null,
          ]
        }),
    ]
  }
}
