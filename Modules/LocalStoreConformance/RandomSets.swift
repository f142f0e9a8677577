import ChangeTracking
import ObjectStore

/// Sets of several authors who know the store's schema, and who write, link and delete at random.
struct RandomSets {
  private let context: LawContext
  private var random: SeededRandom
  private let entities: [EntityNames]
  private let kinds: [LocalEntity]

  init(_ context: LawContext, seed: UInt64) {
    self.context = context
    random = SeededRandom(state: seed)
    kinds = context.entities
    entities = kinds.map { entity in
      let schema = context.store.schema[entity]
      return EntityNames(
        name: schema.name, root: schema.root,
        properties: schema.properties.map { property in
          EntityNames.Property(
            name: property.name,
            kind: property.kind.wireKind)
        })
    }
  }

  /// The sets of each author, in order.
  mutating func make(authors: Int, sets: Int, changes: Int) -> [[ReceivedSet]] {
    (1...authors).map { author in
      var previous: ContentHash?
      return (1...sets).map { sequence in
        let set = ChangeSet(
          author: AuthorID(bits: UInt64(author)), client: "author \(author)", sequence: UInt64(sequence),
          previous: previous, model: context.store.schema.model, entities: entities,
          changes: (0..<changes).map { change(at: (sequence - 1) * changes + $0) })
        let hash = ContentHash(of: Array("\(author) \(sequence)".utf8))
        previous = hash
        return ReceivedSet(set: set, hash: hash)
      }
    }
  }

  private mutating func change(at position: Int) -> Change {
    let index = Int.random(in: kinds.indices, using: &random)
    let schema = context.store.schema[kinds[index]]
    let object = object(schema.root, of: kinds[index])
    let written = schema.properties.indices.filter { _ in Bool.random(using: &random) }
      .compactMap { register($0, of: kinds[index]) }
    let links = schema.properties.enumerated().compactMap { position, property -> (Int, String)? in
      if case .toMany(let destination, _) = property.kind { (position, destination) } else { nil }
    }
    let action: Change.Action
    switch (Int.random(in: 0..<10, using: &random), links.randomElement(using: &random)) {
    case (0..<4, _): action = .insert(written)
    case (4, _): action = .delete
    case (5..<8, let (property, destination)?):
      action = .link(property: .init(rawValue: property), target: target(below: destination))
    case (8, let (property, destination)?):
      action = .unlink(property: .init(rawValue: property), target: target(below: destination))
    default: action = .update(written)
    }
    return Change(
      entity: ChangeSet.EntityIndex(rawValue: index), object: object,
      time: LogicalTime(
        milliseconds: 1_700_000_000_000 + UInt64(position * 10 + Int.random(in: 0..<30, using: &random))),
      action: action)
  }

  private mutating func register(_ index: Int, of entity: LocalEntity) -> Register? {
    let property = context.store.schema[entity].properties[index]
    let content: Register.Content
    switch property.kind {
    case .toMany: return nil
    case .toOne(let destination, _), .partner(let destination):
      content = .target(Int.random(in: 0..<4, using: &random) == 0 ? nil : target(below: destination))
    case .attribute:
      if property.merge.isFolded { return nil }
      let place = LawContext.Place(
        entity: entity, property: LocalProperty(rawValue: index), name: property.name)
      guard let value = context.values(for: place).randomElement(using: &random) else { return nil }
      content = .value(value)
    }
    return Register(property: ChangeSet.PropertyIndex(rawValue: index), content: content)
  }

  private mutating func target(below root: String) -> SyncID {
    let family = kinds.filter { context.store.schema[$0].root == root }
    return object(root, of: family.randomElement(using: &random) ?? kinds[0])
  }

  /// An object has one entity for ever.
  private mutating func object(_ root: String, of entity: LocalEntity) -> SyncID {
    SyncID("\(root)-\(entity.rawValue)-\(Int.random(in: 0..<4, using: &random))")
  }
}

/// Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
