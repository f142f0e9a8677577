/// What values an attribute admits beyond its type. Checked when a context saves.
public struct AttributeValidation: Sendable, Hashable {
  /// The least value of a number or date.
  public var minimum: AttributeValue?
  /// The greatest value of a number or date.
  public var maximum: AttributeValue?
  /// The least length of text in UTF-16 units, which Core Data counts, or of data in bytes.
  public var minimumLength: Int?
  /// The greatest length of text in UTF-16 units, which Core Data counts, or of data in bytes.
  public var maximumLength: Int?
  /// A regular expression that the whole text must match.
  public var pattern: String?

  /// Admits everything that is not excluded by an argument.
  public init(
    minimum: AttributeValue? = nil, maximum: AttributeValue? = nil, minimumLength: Int? = nil,
    maximumLength: Int? = nil, pattern: String? = nil
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.minimumLength = minimumLength
    self.maximumLength = maximumLength
    self.pattern = pattern
  }

  /// Whether nothing is excluded.
  public var isEmpty: Bool {
    minimum == nil && maximum == nil && minimumLength == nil && maximumLength == nil && pattern == nil
  }
}

/// An attribute of an entity.
public struct AttributeDescription: Sendable, Hashable {
  /// The name; a letter, then letters, digits and underscores.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether an object may be saved without a value.
  public var isOptional: Bool
  /// Whether the attribute lives in memory only.
  public var isTransient: Bool
  /// Whether the store keeps an index of this attribute alone.
  public var isIndexed: Bool
  /// What a new object has.
  public var defaultValue: AttributeValue
  /// Whether long values may be kept in files of their own beside the store.
  public var allowsExternalStorage: Bool
  /// Whether a deleted object's value is kept in Core Data's persistent history. Enters the version hash only.
  public var preservesValueOnDeletion: Bool
  /// What values are admitted.
  public var validation: AttributeValidation
  /// What the attribute is computed from whenever its object is saved, as Core Data's model editor writes it: a path, `now:()`,
  /// `canonical:(path)`, `lowercase:(path)`, `uppercase:(path)`, `items.@count`, `items.@sum.price` and the like.
  public var derivation: String?
  /// Name of the transformer of a transformable attribute.
  public var transformerName: String?
  /// Name of the attribute in an earlier version of the model.
  public var renamingIdentifier: String?
  /// A string that makes the version hash differ.
  public var versionHashModifier: String?
  /// Anything that the application wants to say about the attribute.
  public var userInfo: [String: String]

  /// Whether the attribute identifies its object: once a saved object has a value, it keeps it. A save that would change it is
  /// refused, and no `MergePolicy` changes it.
  ///
  /// Part of ``userInfo``, so that every kind of model file keeps it; does not enter the version hash.
  public var isImmutable: Bool {
    get { userInfo[Self.immutableKey] == "YES" }
    set { userInfo[Self.immutableKey] = newValue ? "YES" : nil }
  }

  private static let immutableKey = "ObjectStoreImmutable"

  /// Describes an attribute. Attributes are optional unless said otherwise, as in Core Data's editor.
  public init(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
    isIndexed: Bool = false, defaultValue: AttributeValue = .null, allowsExternalStorage: Bool = false,
    preservesValueOnDeletion: Bool = false, validation: AttributeValidation = AttributeValidation(),
    derivation: String? = nil, transformerName: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.isIndexed = isIndexed
    self.defaultValue = defaultValue
    self.allowsExternalStorage = allowsExternalStorage
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.validation = validation
    self.derivation = derivation
    self.transformerName = transformerName
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

extension AttributeDescription {
  /// Whether the first byte of the attribute's column says where the value is.
  package var isMarkedExternal: Bool { allowsExternalStorage && type != .string }

  /// What the attribute is derived from; `nil` if it is not, or from nothing that is understood.
  package var parsedDerivation: Derivation? { derivation.flatMap { Derivation($0) } }
}
