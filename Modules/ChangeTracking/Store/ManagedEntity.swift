import ObjectStore

/// An entity of an object store's model as the engine addresses it: positions in ``SyncSchema`` become indexes of the model here
/// and nowhere else.
final class ManagedEntity {
  let description: EntityDescription
  /// Index of the attribute that holds the sync ID.
  let syncID: Int
  /// By position: whether the property is an attribute.
  let isAttribute: [Bool]
  /// By position: whether a value may lie in a file of its own.
  let isExternal: [Bool]
  /// What rows from elsewhere show where nothing was written, for they have no defaults of ours.
  let blanks: [(property: Int, value: AttributeValue)]
  /// By position: the property's index.
  private let indexes: [Int]
  /// By position: an attribute's type.
  private let types: [AttributeType?]
  /// By position: what a row shows where nothing was written.
  private let nulls: [Bool]

  /// Looks an entity of a schema up in its model; `nil` if it is none of the model's.
  init?(_ entity: SyncSchema.Entity, in model: ManagedObjectModel) {
    guard let description = model.entity(named: entity.name),
      let syncID = description.index(of: SyncModelKey.syncID)
    else { return nil }
    self.description = description
    self.syncID = syncID
    indexes = entity.properties.map(\.index)
    types = entity.properties.map { description.attribute(at: $0.index)?.type }
    isAttribute = entity.properties.map { $0.kind == .attribute }
    isExternal = entity.properties.map {
      description.attribute(at: $0.index)?.allowsExternalStorage ?? false
    }
    nulls = entity.properties.map { $0.blank.isNull }
    blanks = entity.properties.filter { $0.kind == .attribute }.map { ($0.index, $0.blank) }
  }

  /// Index in the model of a property.
  subscript(property: LocalProperty) -> Int { indexes[property.rawValue] }

  /// Whether an attribute may show a value. One that may not be null shows its default instead. A column has no place for what is
  /// no number: it would become null.
  func canHold(_ value: AttributeValue, _ property: LocalProperty) -> Bool {
    if value.isNull { return nulls[property.rawValue] }
    switch value {
    case .double(let number), .date(let number): if number.isNaN { return false }
    case .float(let number): if number.isNaN { return false }
    default: break
    }
    return types[property.rawValue]?.accepts(value) ?? false
  }
}

extension EntityDescription {
  /// Whether rows of other entities may lie in the same table.
  var isPartOfFamily: Bool { root.familyIndices.count > 1 }
}
