#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells the property wrappers of an object that is being made which properties they are.
///
/// Swift runs the initialisers of stored properties in an order that is fixed by the class. So the n-th wrapper that is
/// initialised is always the same property: the first time (while a model is built) the wrappers declare themselves, and a
/// reflection of the finished object tells their names; from then on each only takes the next index from a list. That
/// costs a few nanoseconds, where any look-up by name or key path would cost a hundred.
@usableFromInline final class InstantiationScope {
  /// What a wrapper sees of the scope; a plain value, because counting references would cost more than all the rest.
  private struct Cursor {
    var next: UnsafePointer<Int32>
    var remaining: Int
    /// Set while declarations are collected.
    var declaring: Unmanaged<InstantiationScope>?
  }

  private let indices: UnsafeMutableBufferPointer<Int32>
  private(set) var declarations: [PropertyDeclaration] = []
  private let isDeclaring: Bool

  private init(indices: ContiguousArray<Int32>, isDeclaring: Bool) {
    // One more than needed, so that there is always an address.
    self.indices = .allocate(capacity: indices.count + 1)
    self.indices.initialize(repeating: .max)
    for (position, index) in indices.enumerated() { self.indices[position] = index }
    self.isDeclaring = isDeclaring
  }

  deinit {
    indices.deallocate()
  }

  /// A scope for objects of a class whose wrappers have these indices.
  convenience init(indices: ContiguousArray<Int32>) {
    self.init(indices: indices, isDeclaring: false)
  }

  /// A scope that collects declarations; each wrapper's index is its place among them.
  static func declaring() -> InstantiationScope {
    InstantiationScope(indices: [], isDeclaring: true)
  }

  // Initialisers are synchronous, so one object is made on one thread from beginning to end.
  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Makes an object whose wrappers take their indices from this scope.
  func make<Object: ManagedObject>(_ type: Object.Type, _ instantiation: Instantiation) -> Object {
    // A class without wrappers needs none; while declarations are collected that is not known yet.
    if indices.count == 1, !isDeclaring { return type.init(instantiation) }
    guard let first = indices.baseAddress else { return type.init(instantiation) }
    var cursor = Cursor(
      next: UnsafePointer(first), remaining: indices.count - 1,
      declaring: isDeclaring ? .passUnretained(self) : nil)
    return withUnsafeMutablePointer(to: &cursor) { cursor in
      let outer = pthread_getspecific(Self.slot)
      pthread_setspecific(Self.slot, cursor)
      defer { pthread_setspecific(Self.slot, outer) }
      return type.init(instantiation)
    }
  }

  /// The index of the wrapper that is being initialised.
  @usableFromInline static func nextIndex(_ declaration: () -> PropertyDeclaration) -> Int32 {
    // Out of range for every object: such a property reads as absent.
    guard let pointer = pthread_getspecific(slot) else { return .max }
    let cursor = pointer.assumingMemoryBound(to: Cursor.self)
    if let scope = cursor.pointee.declaring { return scope.takeUnretainedValue().declare(declaration()) }
    if cursor.pointee.remaining == 0 { return .max }
    cursor.pointee.remaining -= 1
    defer { cursor.pointee.next += 1 }
    return cursor.pointee.next.pointee
  }

  private func declare(_ declaration: PropertyDeclaration) -> Int32 {
    declarations.append(declaration)
    return Int32(declarations.count - 1)
  }
}
