/// One change of one object, with what it takes to make it undone.
///
/// Objects stand for themselves and not for their keys, so that a key may change when the context saves.
enum UndoOperation {
  /// An attribute was set; it had this value.
  case value(ManagedObject, Int, AttributeValue)
  /// A to-one relationship was set; it had this target.
  case target(ManagedObject, Int, ManagedObject?)
  /// A relationship without an inverse lost its target, which was deleted.
  case lost(ManagedObject, Int, target: ManagedObject)
  /// An object became a member of a to-many relationship.
  case came(ManagedObject, Int, member: ManagedObject)
  /// An object left a to-many relationship; it had this place if there is an order.
  case left(ManagedObject, Int, member: ManagedObject, position: Int?)
  /// A member of an ordered relationship was moved; it had this place.
  case moved(ManagedObject, Int, member: ManagedObject, position: Int)
  /// An object was inserted, or came back.
  case appeared(ManagedObject)
  /// An object was deleted.
  case disappeared(ManagedObject, Remains)

  /// Whether it is about an object, or about its being a member of another one.
  func concerns(_ subject: ManagedObject) -> Bool {
    switch self {
    case .value(let object, _, _), .target(let object, _, _), .lost(let object, _, _), .appeared(let object),
      .disappeared(let object, _):
      object === subject
    case .came(let object, _, let member), .left(let object, _, let member, _),
      .moved(let object, _, let member, _):
      object === subject || member === subject
    }
  }

  /// What an object had when it was deleted.
  struct Remains {
    let values: ContiguousArray<AttributeValue>
    let targets: [(index: Int, target: ManagedObject)]
    let members: [(index: Int, members: [ManagedObject])]

    /// Of an object that is about to be given everything anew.
    init() {
      values = []
      targets = []
      members = []
    }

    init(of object: ManagedObject) {
      let entity = object.entity
      var values = ContiguousArray<AttributeValue>()
      for index in 0..<entity.valueCount {
        // Keys of others, and places among them, mean nothing later.
        values.append(index < entity.attributeCount ? object.value(at: index) : .null)
      }
      self.values = values
      var targets: [(Int, ManagedObject)] = []
      var members: [(Int, [ManagedObject])] = []
      for index in entity.attributeCount..<entity.properties.count {
        if index >= entity.slotCount {
          let found = object.members(at: index)
          if !found.isEmpty { members.append((index, found)) }
        } else if let target = object.target(at: index) {
          targets.append((index, target))
        }
      }
      self.targets = targets
      self.members = members
    }
  }
}
