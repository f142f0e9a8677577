/// A relationship of a managed object to at most one other.
///
/// ```swift
/// @ToOne(inverse: \Folder.notes) var folder: Folder?
/// ```
/// Setting it sets the other side too. Name the inverse on one side of a pair; Swift cannot compile key paths on both.
@propertyWrapper public struct ToOne<Target: ManagedObject>: DeclaredProperty {
  @usableFromInline let index: Int16

  /// Declares a relationship whose inverse, if it has one, is named by the other side.
  ///
  /// - Parameters:
  ///   - isRequired: Whether an object cannot be saved without a target.
  ///   - deleteRule: What happens to the target when the object is deleted.
  ///   - isTransient: Whether it is not kept in the store.
  ///   - isOwnInverse: Whether the relationship is its own inverse, as "spouse" is; it then leads to objects of the
  ///     class that declares it.
  ///   - renamingIdentifier: The name in an earlier version of the model.
  ///   - versionHashModifier: A string that makes the version hash differ.
  ///   - userInfo: Anything that the application wants to say.
  ///   - details: Sets what no other argument says, such as ``RelationshipDescription/minimumCount``, or another
  ///     ``RelationshipDescription/name`` than that of the Swift property.
  @inlinable public init(
    isRequired: Bool = false, deleteRule: DeleteRule = .nullify, isTransient: Bool = false,
    isOwnInverse: Bool = false,
    renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout RelationshipDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .toOne(
        Target.self, inverse: nil, isOwnInverse: isOwnInverse, isRequired: isRequired, deleteRule: deleteRule,
        isTransient: isTransient,
        renamingIdentifier: renamingIdentifier(), versionHashModifier: versionHashModifier(),
        userInfo: userInfo(), details: details)
    }
  }

  /// Declares a relationship with its inverse.
  @inlinable public init<Back>(
    inverse: @autoclosure () -> KeyPath<Target, Back>, isRequired: Bool = false,
    deleteRule: DeleteRule = .nullify,
    isTransient: Bool = false, renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout RelationshipDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .toOne(
        Target.self, inverse: inverse(), isOwnInverse: false, isRequired: isRequired, deleteRule: deleteRule,
        isTransient: isTransient,
        renamingIdentifier: renamingIdentifier(), versionHashModifier: versionHashModifier(),
        userInfo: userInfo(), details: details)
    }
  }

  /// Not to be used: targets are read through the object.
  @available(
    *, unavailable,
    message:
      "a mistake at the declaration: the arguments of @ToOne, or a class that is none of the subclasses of ManagedObject"
  )
  public var wrappedValue: Target? {
    // Unavailable, so no call of it compiles.
    get { fatalError("unreachable: the compiler refuses every use") }
    set { fatalError("unreachable: the compiler refuses every use") }
  }

  /// Reads and writes the target.
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Target?>,
    storage storage: ReferenceWritableKeyPath<Object, ToOne<Target>>
  ) -> Target? {
    get { object.target(at: Int(object[keyPath: storage].index)) as? Target }
    set { object.setTarget(newValue, at: Int(object[keyPath: storage].index)) }
  }
}

extension PropertyDeclaration {
  @usableFromInline static func toOne(
    _ target: ManagedObject.Type, inverse: AnyKeyPath?, isOwnInverse: Bool, isRequired: Bool,
    deleteRule: DeleteRule,
    isTransient: Bool,
    renamingIdentifier: String?, versionHashModifier: String?, userInfo: [String: String],
    details: (inout RelationshipDescription) -> Void
  ) -> PropertyDeclaration {
    var relationship = RelationshipDescription(
      "", to: target.entityName, inverse: nil, isToMany: false, isOptional: !isRequired,
      isTransient: isTransient,
      deleteRule: deleteRule, renamingIdentifier: renamingIdentifier,
      versionHashModifier: versionHashModifier,
      userInfo: userInfo)
    details(&relationship)
    return PropertyDeclaration(
      content: .relationship(relationship, destination: target, inversePath: inverse),
      isOwnInverse: isOwnInverse)
  }
}
