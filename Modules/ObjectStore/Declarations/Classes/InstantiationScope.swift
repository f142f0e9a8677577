import CTICDSThreadLocals

/// Informs the property wrappers of an object that is being made which properties they are.
///
/// Swift runs the initialisers of stored properties in an order that is fixed by the class. So the n-th wrapper that is
/// initialised is always the same property: the first time (while a model is built) the wrappers declare themselves, and a
/// reflection of the finished object tells their names; from then on each only takes the next index from a list. That
/// costs a few nanoseconds, where any look-up by name or key path would cost a hundred.
@usableFromInline final class InstantiationScope {
  /// Out of range for every object, for SQLite admits no table of so many columns: such a property reads as absent. Stands
  /// behind the last index, too.
  private static let noIndex = Int16.max

  private let indices: UnsafeMutableBufferPointer<Int16>
  private(set) var declarations: [PropertyDeclaration] = []
  private let isDeclaring: Bool

  private init(indices: ContiguousArray<Int16>, isDeclaring: Bool) {
    self.indices = .allocate(capacity: indices.count + 1)
    self.indices.initialize(repeating: Self.noIndex)
    for (position, index) in indices.enumerated() { self.indices[position] = index }
    self.isDeclaring = isDeclaring
  }

  deinit {
    indices.deallocate()
  }

  /// A scope for objects of a class whose wrappers have these indices.
  convenience init(indices: ContiguousArray<Int16>) {
    self.init(indices: indices, isDeclaring: false)
  }

  /// A scope that collects declarations; each wrapper's index is its place among them.
  static func declaring() -> InstantiationScope {
    InstantiationScope(indices: [], isDeclaring: true)
  }

  // Initialisers are synchronous, so one object is made on one thread from beginning to end; an initialiser that makes
  // others finds its own state again when they are made.

  /// Makes an object whose wrappers take their indices from this scope.
  @inline(__always)
  func make<Object: ManagedObject>(_ type: Object.Type, _ instantiation: Instantiation) -> Object {
    // A class without wrappers needs none; while declarations are collected that is not known yet.
    if indices.count == 1, !isDeclaring { return type.init(instantiation) }
    let current = ticds_current_instantiation()
    let outer = current.pointee
    current.pointee = ticds_instantiation(
      next: isDeclaring ? nil : UnsafePointer(indices.baseAddress),
      scope: Unmanaged.passUnretained(self).toOpaque())
    defer { current.pointee = outer }
    return type.init(instantiation)
  }

  /// The index of the wrapper that is being initialised.
  @usableFromInline static func nextIndex(_ declaration: () -> PropertyDeclaration) -> Int16 {
    let current = ticds_current_instantiation()
    guard let next = current.pointee.next else { return declare(declaration, current.pointee.scope) }
    let index = next.pointee
    if index != noIndex { current.pointee.next = next + 1 }
    return index
  }

  // Kept apart, for it needs much of the stack.
  @inline(never)
  private static func declare(
    _ declaration: () -> PropertyDeclaration, _ scope: UnsafeRawPointer?
  ) -> Int16 {
    // A wrapper that is no part of an object has no scope.
    guard let scope else { return noIndex }
    return Unmanaged<InstantiationScope>.fromOpaque(scope).takeUnretainedValue().declare(declaration())
  }

  private func declare(_ declaration: PropertyDeclaration) -> Int16 {
    declarations.append(declaration)
    return Int16(clamping: declarations.count - 1)
  }
}
