/// What a class says about its entity as a whole; see ``ManagedObject/entityOptions``.
public struct EntityOptions {
  let type: ManagedObject.Type
  let name: String?
  let isAbstract: Bool
  let uniquenessConstraints: [[String]]
  let indexes: [IndexDescription]
  let renamingIdentifier: String?
  let versionHashModifier: String?
  let userInfo: [String: String]

  /// Describes the entity of a class.
  ///
  /// - Parameters:
  ///   - type: The class itself. Subclasses inherit the property that returns these options, but not the options.
  ///   - name: The name, if it is not that of the class.
  ///   - isAbstract: Whether objects of this very class cannot be made.
  ///   - uniquenessConstraints: Lists of properties whose values together identify an object.
  ///   - indexes: Indexes over several attributes.
  ///   - renamingIdentifier: The name in an earlier version of the model.
  ///   - versionHashModifier: A string that makes the version hash differ.
  ///   - userInfo: Anything that the application wants to say.
  public init(
    _ type: ManagedObject.Type, name: String? = nil, isAbstract: Bool = false,
    uniquenessConstraints: [[String]] = [], indexes: [IndexDescription] = [],
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, userInfo: [String: String] = [:]
  ) {
    self.type = type
    self.name = name
    self.isAbstract = isAbstract
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

extension ManagedObject {
  static var ownOptions: EntityOptions? {
    entityOptions.flatMap { $0.type == self ? $0 : nil }
  }

  /// Name of the entity of this class.
  public static var entityName: String { ownOptions?.name ?? String(describing: self) }
}
