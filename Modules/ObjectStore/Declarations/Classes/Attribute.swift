/// An attribute of a managed object.
///
/// ```swift
/// final class Note: ManagedObject {
///   @Attribute(indexed: true) var title: String = ""
///   @Attribute var modified: Date?
/// }
/// ```
/// The type of the attribute follows from that of the property: an optional type makes it optional, the initial value
/// becomes the default. The arguments are looked at once, when the model is built. Reading fires a fault; writing
/// marks the object as changed. As everything of an object, it is confined to its context.
@propertyWrapper public struct Attribute<Value: AttributeConvertible>: DeclaredProperty {
  @usableFromInline let index: Int16

  /// Declares an attribute with a default value. If its type is not optional, it reads as that in rows without a value, too: those of
  /// a program with an older model, for example.
  ///
  /// - Parameters:
  ///   - wrappedValue: What a new object has. It is computed once, for all objects: one that is another each time, such as `UUID()` or
  ///     `Date()`, is refused by the model; set it in ``ManagedObject/awakeFromInsert()``.
  ///   - indexed: Whether the store keeps an index.
  ///   - unique: Whether no two objects may have the same value.
  ///   - isTransient: Whether the attribute lives in memory only.
  ///   - isImmutable: Whether a saved object keeps its value; see ``AttributeDescription/isImmutable``.
  ///   - externalStorage: Whether long values may be kept in files beside the store.
  ///   - validation: What values are admitted.
  ///   - renamingIdentifier: The name in an earlier version of the model.
  ///   - versionHashModifier: A string that makes the version hash differ.
  ///   - derivation: What the value is computed from at each save; see ``AttributeDescription/derivation``.
  ///   - userInfo: Anything that the application wants to say.
  ///   - details: Sets what no other argument says, such as ``AttributeDescription/preservesValueOnDeletion``, or another
  ///     ``AttributeDescription/name`` than that of the Swift property.
  @inlinable public init(
    wrappedValue: @autoclosure () -> Value, indexed: Bool = false, unique: Bool = false,
    isTransient: Bool = false, isImmutable: Bool = false,
    externalStorage: Bool = false, validation: @autoclosure () -> AttributeValidation = AttributeValidation(),
    renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil, derivation: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout AttributeDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .attribute(
        Value.self, default: wrappedValue(), again: wrappedValue(), indexed: indexed, unique: unique,
        isTransient: isTransient,
        isImmutable: isImmutable,
        externalStorage: externalStorage, validation: validation(), renamingIdentifier: renamingIdentifier(),
        versionHashModifier: versionHashModifier(), derivation: derivation(), userInfo: userInfo(),
        details: details)
    }
  }

  /// Declares an attribute without a default value. If its type is not optional, a value must be set before saving.
  @inlinable public init(
    indexed: Bool = false, unique: Bool = false, isTransient: Bool = false, isImmutable: Bool = false,
    externalStorage: Bool = false,
    validation: @autoclosure () -> AttributeValidation = AttributeValidation(),
    renamingIdentifier: @autoclosure () -> String? = nil,
    versionHashModifier: @autoclosure () -> String? = nil, derivation: @autoclosure () -> String? = nil,
    userInfo: @autoclosure () -> [String: String] = [:],
    details: (inout AttributeDescription) -> Void = { _ in }
  ) {
    index = InstantiationScope.nextIndex {
      .attribute(
        Value.self, default: nil, again: nil, indexed: indexed, unique: unique, isTransient: isTransient,
        isImmutable: isImmutable,
        externalStorage: externalStorage, validation: validation(), renamingIdentifier: renamingIdentifier(),
        versionHashModifier: versionHashModifier(), derivation: derivation(), userInfo: userInfo(),
        details: details)
    }
  }

  /// Not to be used: values are read through the object.
  @available(
    *, unavailable,
    message:
      "a mistake at the declaration: the arguments of @Attribute, or a class that is none of the subclasses of ManagedObject"
  )
  public var wrappedValue: Value {
    // Unavailable, so no call of it compiles.
    get { fatalError("unreachable: the compiler refuses every use") }
    set { fatalError("unreachable: the compiler refuses every use") }
  }

  /// Reads and writes the value in the object.
  @inlinable
  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Attribute<Value>>
  ) -> Value {
    get {
      let index = Int(object[keyPath: storage].index)
      return Value.value(of: object, at: index) ?? Value.valueInstead(of: object, at: index)
    }
    set {
      object.setValue(newValue.attributeValue, at: Int(object[keyPath: storage].index))
    }
  }
}

extension PropertyDeclaration {
  @usableFromInline static func attribute<Value: AttributeConvertible>(
    _ type: Value.Type, default value: Value?, again: Value?, indexed: Bool, unique: Bool,
    isTransient: Bool, isImmutable: Bool, externalStorage: Bool,
    validation: AttributeValidation, renamingIdentifier: String?, versionHashModifier: String?,
    derivation: String?, userInfo: [String: String], details: (inout AttributeDescription) -> Void
  ) -> PropertyDeclaration {
    var attribute = AttributeDescription(
      "", Value.attributeType, isOptional: Value.allowsNull, isTransient: isTransient, isIndexed: indexed,
      defaultValue: value?.attributeValue ?? .null, allowsExternalStorage: externalStorage,
      validation: validation.withBounds(of: Value.attributeType), derivation: derivation,
      renamingIdentifier: renamingIdentifier, versionHashModifier: versionHashModifier, userInfo: userInfo)
    if isImmutable { attribute.isImmutable = true }
    let others = again?.attributeValue ?? .null
    let isChanging = attribute.defaultValue != others && !others.isNotANumber
    details(&attribute)
    return PropertyDeclaration(
      content: .attribute(attribute), isUnique: unique, isInitialValueChanging: isChanging)
  }
}
