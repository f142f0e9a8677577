import CoreDataFormats

/// Counts what objects have and a copy cannot keep as it is, because of the kind of store that it is.
struct CopyLosses {
  private enum Reason: String, CaseIterable {
    case stranger = "links to objects of another entity than the model says, which tables cannot keep"
    case missing = "links to objects that are not in the store, which a binary store cannot have"
    case shared = "links to objects of another owner, where a row names one owner only"
    case repeated = "links to an object that the relationship has already, which tables keep once"
    case oneSided = "links that only one of two sides has, which tables keep on both sides or on neither"
    case notANumber = "results that are no numbers (NaN), in whose place SQLite keeps nothing"
    case longDecimal = "decimal numbers of more than fifteen digits, of which SQLite keeps fifteen"
    case beyondRange = "numbers beyond the range of the attribute's type, which a binary store cannot have"
    case ownTransformer =
      "values that cannot be read as keyed archives, of which a binary store would keep the bytes alone"
  }

  private let file: StoreFile
  private let kind: StoreFile.Kind
  private var counts: [Reason: [String: Int]] = [:]
  private var present: Set<StoredObject.Reference> = []
  private var links: Set<StoredLink> = []
  private var owned: [String: Set<StoredObject.Reference>] = [:]

  init(_ file: StoreFile, copyingAs kind: StoreFile.Kind) {
    self.file = file
    self.kind = kind
  }

  /// - Throws: ``StoreError`` or ``BinaryStoreError`` if the store cannot be read.
  mutating func losses() throws -> [StoreLoss] {
    let source = try file.objects()
    // Tables say each link once, so where the source has tables both sides agree.
    let mayDisagree = kind == .sqlite && file.kind != .sqlite
    if kind == .binary || mayDisagree {
      try source.forEachObject(of: nil) { object in
        if kind == .binary { present.insert(object.reference) }
        guard mayDisagree else { return }
        forEachLink(of: object) { relationship, index, target in
          if Self.isKeptOnce(relationship) {
            links.insert(StoredLink(from: object.reference, property: index, to: target))
          }
        }
      }
    }
    try source.forEachObject(of: nil) { object in
      countValues(of: object)
      countRepetitions(in: object)
      let layout = file.oneWayLayout
      forEachLink(of: object) { relationship, _, target in
        if let reason = reason(object, relationship, target, mayDisagree, layout) {
          count(reason, "\(file.model.entities[relationship.ownerIndex].name).\(relationship.name)")
        }
      }
    }
    return Reason.allCases.flatMap { reason in
      (counts[reason] ?? [:]).sorted { $0.key < $1.key }.map { StoreLoss($0.key, $0.value, reason.rawValue) }
    }
  }

  private mutating func count(_ reason: Reason, _ place: String, _ number: Int = 1) {
    counts[reason, default: [:]][place, default: 0] += number
  }

  private mutating func countValues(of object: StoredObject) {
    let entity = file.model.entities[object.reference.entity]
    for (index, value) in object.attributes.enumerated() where !object.missingFiles.contains(index) {
      guard let attribute = entity.attribute(at: index) else { continue }
      let place = "\(entity.name).\(attribute.name)"
      switch kind {
      case .sqlite:
        if value.isNotANumber { count(.notANumber, place) }
        if !value.isKeptExactly { count(.longDecimal, place) }
      case .binary:
        if !attribute.type.accepts(value) { count(.beyondRange, place) }
        if attribute.type == .transformable, case .data(let bytes) = value,
          (try? KeyedArchive(bytes).decode(allowing: .any)) == nil
        {
          count(.ownTransformer, place)
        }
      case .xml: break
      }
    }
  }

  private mutating func countRepetitions(in object: StoredObject) {
    guard kind == .sqlite else { return }
    let entity = file.model.entities[object.reference.entity]
    for (offset, targets) in object.relationships.enumerated() where targets.count > 1 {
      let repetitions = targets.count - Set(targets).count
      guard repetitions > 0,
        let relationship = entity.relationship(at: entity.attributeCount + offset)
      else { continue }
      count(
        .repeated, "\(file.model.entities[relationship.ownerIndex].name).\(relationship.name)", repetitions)
    }
  }

  /// Calls `body` once for each object that another leads to by a relationship.
  private func forEachLink(
    of object: StoredObject, _ body: (RelationshipDescription, Int, StoredObject.Reference) -> Void
  ) {
    let entity = file.model.entities[object.reference.entity]
    for (offset, targets) in object.relationships.enumerated() where !targets.isEmpty {
      let index = entity.attributeCount + offset
      guard let relationship = entity.relationship(at: index) else { continue }
      if targets.count == 1 {
        body(relationship, index, targets[0])
      } else {
        for target in Set(targets) { body(relationship, index, target) }
      }
    }
  }

  private mutating func reason(
    _ object: StoredObject, _ relationship: RelationshipDescription, _ target: StoredObject.Reference,
    _ mayDisagree: Bool, _ layout: SchemaAssembly.OneWayLayout
  ) -> Reason? {
    if kind == .binary { return present.contains(target) ? nil : .missing }
    let targetEntity = file.model.entities[target.entity]
    guard targetEntity.isKind(of: file.model.entities[relationship.destinationIndex]) else {
      return .stranger
    }
    if relationship.isToMany, relationship.inverse == nil {
      guard layout == .ownerColumn else { return nil }
      let place = "\(relationship.ownerIndex).\(relationship.name)"
      return owned[place, default: []].insert(target).inserted ? nil : .shared
    }
    guard mayDisagree, Self.isKeptOnce(relationship),
      let inverse = targetEntity.inverseIndex(of: relationship)
    else { return nil }
    let back = StoredLink(from: target, property: inverse, to: object.reference)
    return links.contains(back) ? nil : .oneSided
  }

  /// Whether tables keep one entry for both sides.
  private static func isKeptOnce(_ relationship: RelationshipDescription) -> Bool {
    relationship.inverse != nil && !relationship.isOwnInverse
      && (relationship.isToMany || relationship.inverseIsToMany)
  }
}

/// What one object says of another: the other side of a pair of relationships says it again.
struct StoredLink: Hashable {
  let from: StoredObject.Reference
  let property: Int
  let to: StoredObject.Reference
}
