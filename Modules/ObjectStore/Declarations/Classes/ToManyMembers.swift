/// A collection that can stand for a to-many relationship: `Set` and `Array` of managed objects. Do not conform others.
public protocol ToManyMembers {
  /// The class of the members.
  associatedtype Member: ManagedObject
  /// Whether the members have an order.
  static var isOrdered: Bool { get }
  /// Takes members in their order; those of another class are left out.
  init(members: [ManagedObject])
  /// The members, in order if there is one.
  var orderedMembers: [ManagedObject] { get }
}

extension Set: ToManyMembers where Element: ManagedObject {
  /// The class of the members.
  public typealias Member = Element
  /// Whether the members have an order.
  public static var isOrdered: Bool { false }

  /// Takes members in their order; those of another class are left out.
  public init(members: [ManagedObject]) {
    self.init(minimumCapacity: members.count)
    for member in members {
      if let member = member as? Element { insert(member) }
    }
  }

  /// The members.
  public var orderedMembers: [ManagedObject] { Array(self) }
}

extension Array: ToManyMembers where Element: ManagedObject {
  /// The class of the members.
  public typealias Member = Element
  /// Whether the members have an order.
  public static var isOrdered: Bool { true }

  /// Takes members in their order; those of another class are left out.
  public init(members: [ManagedObject]) {
    self = members.compactMap { $0 as? Element }
  }

  /// The members.
  public var orderedMembers: [ManagedObject] { self }
}
