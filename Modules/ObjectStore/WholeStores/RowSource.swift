/// Where the value of an attribute or to-one relationship stands in a row that is read as an object.
enum RowSource {
  case nowhere
  case attribute(column: Int, AttributeType, isExternal: Bool)
  /// The target's entity stands in a column of its own if the destination has sub-entities.
  case target(column: Int, destination: Int, entityColumn: Int?)

  /// The sources of an entity's attributes and to-one relationships, in their order.
  ///
  /// - Parameter columns: The columns that are selected; those that are needed are added.
  static func all(
    of entity: EntityDescription, in schema: StoreSchema, adding columns: inout [String]
  ) -> [RowSource] {
    func position(_ column: String) -> Int {
      columns.append(column)
      return columns.count - 1
    }
    let storage = schema.table(of: entity).storage
    return zip(entity.properties, storage).prefix(entity.slotCount).map { property, storage in
      switch storage {
      case .attribute(let column, let type):
        return .attribute(
          column: position(column), type, isExternal: property.asAttribute?.allowsExternalStorage == true)
      case .toOne(let toOne):
        return .target(
          column: position(toOne.key), destination: property.asRelationship?.destinationIndex ?? 0,
          entityColumn: toOne.entity.map(position))
      case .memory, .inverse, .join: return .nowhere
      }
    }
  }
}
