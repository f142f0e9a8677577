/// A relationship of a managed object to any number of others: a `Set`, or an `Array` if they have an order.
///
/// ```swift
/// @ToMany(inverse: \Tag.notes) var tags: Set<Tag>
/// @ToMany(deleteRule: .cascade) var pages: [Page]
/// ```
/// The property gives and takes whole collections; `$tags` adds and removes single objects without building one. Changing
/// it changes the other side too. Name the inverse on one side of a pair; Swift cannot compile key paths on both.
@propertyWrapper public struct ToMany<Members: ToManyMembers>: DeclaredProperty {
  @usableFromInline let index: Int16

  /// Declares a relationship whose inverse, if it has one, is named by the other side.
  ///
  /// - Parameters:
  ///   - deleteRule: What happens to the members when the object is deleted.
  ///   - minimumCount: The least number of members; an object with fewer cannot be saved.
  ///   - maximumCount: The greatest number of members; 0 is without limit.
  ///   - isTransient: Whether it is not kept in the store.
  ///   - isOwnInverse: Whether the relationship is its own inverse, as "friends" is; it then leads to objects of the
  ///     class that declares it.
  ///   - renamingIdentifier: The name in an earlier version of the model.
  ///   - versionHashModifier: A string that makes the version hash differ.
  ///   - userInfo: Anything that the application wants to say.
  ///   - details: Sets what no other argument says, such as ``RelationshipDescription/isOptional``, or another
  ///     ``RelationshipDescription/name`` than that of the Swift property.
  @inlinable public init(
    deleteRule: DeleteRule = .nullify, minimumCount: Int = 0, maximumCount: Int = 0,
    isTransient: Bool = false, isOwnInverse: Bool = false,
    renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout RelationshipDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .toMany(
        Members.self, inverse: nil, isOwnInverse: isOwnInverse, deleteRule: deleteRule,
        counts: (minimumCount, maximumCount),
        isTransient: isTransient, renamingIdentifier: renamingIdentifier(),
        versionHashModifier: versionHashModifier(), userInfo: userInfo(), details: details)
    }
  }

  /// Declares a relationship with its inverse.
  @inlinable public init<Back>(
    inverse: @autoclosure () -> KeyPath<Members.Member, Back>, deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0, maximumCount: Int = 0, isTransient: Bool = false,
    renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout RelationshipDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .toMany(
        Members.self, inverse: inverse(), isOwnInverse: false, deleteRule: deleteRule,
        counts: (minimumCount, maximumCount),
        isTransient: isTransient, renamingIdentifier: renamingIdentifier(),
        versionHashModifier: versionHashModifier(), userInfo: userInfo(), details: details)
    }
  }

  /// Not to be used: members are read through the object.
  @available(
    *, unavailable,
    message:
      "a mistake at the declaration: the arguments of @ToMany, or a class that is none of the subclasses of ManagedObject"
  )
  public var wrappedValue: Members {
    // Unavailable, so no call of it compiles.
    get { fatalError("unreachable: the compiler refuses every use") }
    set { fatalError("unreachable: the compiler refuses every use") }
  }

  /// Not to be used: members are changed through the object.
  @available(
    *, unavailable,
    message:
      "a mistake at the declaration: the arguments of @ToMany, or a class that is none of the subclasses of ManagedObject"
  )
  public var projectedValue: MutableMembers<Members.Member> {
    // Unavailable, so no call of it compiles.
    fatalError("unreachable: the compiler refuses every use")
  }

  /// Reads and writes all members.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Members>,
    storage storage: ReferenceWritableKeyPath<Object, ToMany<Members>>
  ) -> Members {
    get { Members(members: object.members(at: Int(object[keyPath: storage].index))) }
    set { object.setMembers(newValue.orderedMembers, at: Int(object[keyPath: storage].index)) }
  }

  /// The members, for single changes.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object,
    projected projected: KeyPath<Object, MutableMembers<Members.Member>>,
    storage storage: ReferenceWritableKeyPath<Object, ToMany<Members>>
  ) -> MutableMembers<Members.Member> {
    MutableMembers(object: object, index: Int(object[keyPath: storage].index))
  }
}

extension PropertyDeclaration {
  @usableFromInline static func toMany<Members: ToManyMembers>(
    _ type: Members.Type, inverse: AnyKeyPath?, isOwnInverse: Bool, deleteRule: DeleteRule,
    counts: (minimum: Int, maximum: Int),
    isTransient: Bool, renamingIdentifier: String?, versionHashModifier: String?, userInfo: [String: String],
    details: (inout RelationshipDescription) -> Void
  ) -> PropertyDeclaration {
    var relationship = RelationshipDescription(
      "", to: Members.Member.entityName, inverse: nil, isToMany: true, isOrdered: Members.isOrdered,
      isOptional: counts.minimum == 0, isTransient: isTransient, deleteRule: deleteRule,
      minimumCount: counts.minimum, maximumCount: counts.maximum, renamingIdentifier: renamingIdentifier,
      versionHashModifier: versionHashModifier, userInfo: userInfo)
    details(&relationship)
    return PropertyDeclaration(
      content: .relationship(relationship, destination: Members.Member.self, inversePath: inverse),
      isOwnInverse: isOwnInverse)
  }
}
