import ObjectStore

/// A relationship with an order, as the model numbers it.
struct OrderedEnd: Hashable {
  var entity: Int
  var property: Int
}

/// How the order of a relationship is logged: by the canonical end of its pair.
struct RecordedOrder {
  /// An entity that has the canonical end.
  var entity: EntityNumber
  /// The canonical end's register.
  var bit: PropertyBit
  /// Whether the order is that of the other end.
  var isInverse: Bool

  /// All ordered relationships of a model that travel.
  static func all(in model: ManagedObjectModel, names: NameTable) -> [OrderedEnd: RecordedOrder] {
    var orders: [OrderedEnd: RecordedOrder] = [:]
    for entity in model.entities {
      for (index, property) in entity.properties.enumerated() {
        guard let relationship = property.asRelationship, relationship.isToMany, relationship.isOrdered else {
          continue
        }
        let end = OrderedEnd(entity: entity.index, property: index)
        if let bit = bit(of: relationship.name, in: entity, names) {
          orders[end] = RecordedOrder(entity: bit.entity, bit: bit.bit, isInverse: false)
        } else if let inverse = relationship.inverse {
          // The members may be of any entity below the destination.
          let destination = model.entities[relationship.destinationIndex]
          let sources = model.entities.lazy.filter { $0.isKind(of: destination) }
          if let bit = sources.compactMap({ Self.bit(of: inverse, in: $0, names) }).first {
            orders[end] = RecordedOrder(entity: bit.entity, bit: bit.bit, isInverse: true)
          }
        }
      }
    }
    return orders
  }

  private static func bit(of name: String, in entity: EntityDescription, _ names: NameTable) -> (
    entity: EntityNumber, bit: PropertyBit
  )? {
    guard let number = names.existingNumber(of: entity.name),
      let property = names[number].localProperties.first(where: { $0.name == name })
    else { return nil }
    return (number, property.bit)
  }
}
