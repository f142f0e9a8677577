/// What a to-many relationship is to a key path: `\.notes`, `\.$notes`, or one of them behind a to-one relationship. Do not
/// conform others.
public protocol RelatedObjects {
  /// The class of the related objects.
  associatedtype Related: ManagedObject
}

extension Set: RelatedObjects where Element: ManagedObject {
  /// The class of the related objects.
  public typealias Related = Element
}

extension Array: RelatedObjects where Element: ManagedObject {
  /// The class of the related objects.
  public typealias Related = Element
}

extension MutableMembers: RelatedObjects {
  /// The class of the related objects.
  public typealias Related = Member
}

extension Optional: RelatedObjects where Wrapped: RelatedObjects {
  /// The class of the related objects.
  public typealias Related = Wrapped.Related
}

/// Members of which a key path tells the relationship although it reads none.
protocol TracedMembers {
  var object: ManagedObject { get }
  var index: Int { get }
}

extension MutableMembers: TracedMembers {}
