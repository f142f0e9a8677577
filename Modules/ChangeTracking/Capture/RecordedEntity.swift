import ObjectStore

/// What a recorder knows of an entity that is synchronised.
///
/// A class, for every row of a save looks its entity up, and a structure of arrays is dear to copy.
final class RecordedEntity {
  let number: EntityNumber
  /// Index of the attribute that holds the sync ID.
  let syncID: Int
  /// By property index: `nil` if the property does not travel.
  let bits: [PropertyBit?]
  /// By property index: how the property is merged, if what several devices did becomes one value.
  let folds: [Fold?]
  /// Indexes of relationships in which nobody shares a target.
  let exclusive: [Int]
  let naturalKey: [Int]
  /// What identifiers of natural keys are made of, the preferred entity first, then those whose names may have been used before.
  let keyScopes: [EntityNumber]
  let root: EntityNumber

  /// - Returns: `nil` for an entity that is not synchronised.
  init?(_ entity: EntityDescription, _ names: NameTable) {
    guard let number = names.existingNumber(of: entity.name), names[number].local != nil,
      let syncID = entity.index(of: SyncModelKey.syncID)
    else { return nil }
    let known = names[number]
    let bits = Dictionary(uniqueKeysWithValues: known.localProperties.map { ($0.name, $0.bit) })
    let folds = Dictionary(
      uniqueKeysWithValues: known.localProperties.filter(\.declaredMerge.isFolded).map {
        ($0.name, Fold(kind: $0.declaredMerge, initial: $0.initialValue))
      })
    self.number = number
    self.syncID = syncID
    self.bits = entity.properties.map { bits[$0.name] }
    self.folds = entity.properties.map { folds[$0.name] }
    exclusive = known.localProperties.filter { $0.isExclusive || $0.isPartner }.compactMap {
      entity.index(of: $0.name)
    }
    naturalKey = entity.naturalKey
    keyScopes = Self.keyScopes(of: entity, names)
    root = known.root
  }

  private static func keyScopes(of entity: EntityDescription, _ names: NameTable) -> [EntityNumber] {
    guard !entity.naturalKey.isEmpty else { return [] }
    var scopes = names.existingNumber(of: entity.name).map { [names[$0].keyScope] } ?? []
    // A parent may have got the same key only with this version of the model.
    for parent in sequence(first: entity, next: \.parent) {
      if let number = names.existingNumber(of: parent.name), !scopes.contains(number) {
        scopes.append(number)
      }
    }
    return scopes
  }

  /// The registers of properties, as words of 64 bits.
  func registers(_ properties: PropertyMask) -> [UInt64] {
    var words: [UInt64] = []
    properties.forEach { property in
      guard let bit = bits[property] else { return }
      while words.count <= bit.word { words.append(0) }
      words[bit.word] |= bit.mask
    }
    return words
  }
}
