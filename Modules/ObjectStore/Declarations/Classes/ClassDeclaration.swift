/// What a class of managed objects declares, found by making one object of it and reflecting on it.
struct ClassDeclaration {
  let type: ManagedObject.Type
  /// The nearest superclass, unless it is `ManagedObject` itself.
  let superclass: ManagedObject.Type?
  /// Names of all properties, inherited ones included, in the order in which their wrappers are initialised.
  let names: [String]
  /// The properties declared in this very class, in the same order.
  let own: [(name: String, declaration: PropertyDeclaration)]
  private let prototype: ManagedObject

  init(_ type: ManagedObject.Type) {
    self.type = type
    let scope = InstantiationScope.declaring()
    prototype = scope.make(type, Instantiation(entity: .undeclared, table: nil, key: 0, state: .tracing))
    let declarations = scope.declarations

    var names = Array(repeating: "", count: declarations.count)
    var own: [Int] = []
    var superclass: ManagedObject.Type?
    var level: Mirror? = Mirror(reflecting: prototype)
    while let mirror = level, mirror.subjectType != ManagedObject.self {
      if superclass == nil, mirror.subjectType != type {
        superclass = mirror.subjectType as? ManagedObject.Type
      }
      for child in mirror.children {
        guard let label = child.label, let property = child.value as? any DeclaredProperty else { continue }
        let index = Int(property.index)
        guard names.indices.contains(index) else { continue }
        // The storage of a wrapper is named by an underscore and the property's name.
        names[index] = declarations[index].givenName ?? String(label.dropFirst())
        if mirror.subjectType == type { own.append(index) }
      }
      level = mirror.superclassMirror
    }
    self.superclass = superclass
    self.names = names
    self.own = own.sorted().map { (names[$0], declarations[$0]) }
  }

  /// The property that a key path leads to, if it is one of this class.
  func name(of path: AnyKeyPath) -> String? {
    let trace = PathTracer.trace { _ = prototype[keyPath: path] }
    return trace.first.flatMap { names.indices.contains($0) ? names[$0] : nil }
  }
}

extension EntityDescription {
  /// Stands for the entity of an object that was made only to be looked at.
  static let undeclared = EntityDescription(undeclared: "Undeclared")
}
