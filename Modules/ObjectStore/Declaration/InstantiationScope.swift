#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Synchronization

/// Tells the property wrappers of an object that is being made which properties they are.
///
/// Swift runs the initialisers of stored properties in an order that is fixed by the class. So the n-th wrapper that is
/// initialised is always the same property: the first time (while a model is built) the wrappers declare themselves, and a
/// reflection of the finished object tells their names; from then on each only takes the next index from a list. That
/// costs a few nanoseconds, where any look-up by name or key path would cost a hundred.
@usableFromInline final class InstantiationScope {
  /// What a wrapper sees of the scope; a plain value, because counting references would cost more than all the rest.
  private struct Cursor {
    /// Nil while declarations are collected.
    var next: UnsafePointer<Int32>?
    let scope: Unmanaged<InstantiationScope>
  }

  /// Out of range for every object: such a property reads as absent. Stands behind the last index, too.
  private static let noIndex = Int32.max

  private let indices: UnsafeMutableBufferPointer<Int32>
  private(set) var declarations: [PropertyDeclaration] = []
  private let isDeclaring: Bool

  private init(indices: ContiguousArray<Int32>, isDeclaring: Bool) {
    self.indices = .allocate(capacity: indices.count + 1)
    self.indices.initialize(repeating: Self.noIndex)
    for (position, index) in indices.enumerated() { self.indices[position] = index }
    self.isDeclaring = isDeclaring
    Self.prepare()
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

  // Initialisers are synchronous, so one object is made on one thread from beginning to end. The thread's cursor is found by
  // a key that is made with the first scope. Until then there is none, and no thread has a value for the greatest number. A
  // global that is made when it is first used would look for that at each wrapper.
  private static let key = Atomic<UInt>(.max)

  private static func prepare() {
    if key.load(ordering: .acquiring) != .max { return }
    var new = pthread_key_t()
    pthread_key_create(&new, nil)
    let (isFirst, _) = key.compareExchange(
      expected: .max, desired: UInt(new), ordering: .acquiringAndReleasing)
    if !isFirst { pthread_key_delete(new) }
  }

  @inline(__always)
  private static var slot: pthread_key_t { pthread_key_t(truncatingIfNeeded: key.load(ordering: .relaxed)) }

  /// Makes an object whose wrappers take their indices from this scope.
  @inline(__always)
  func make<Object: ManagedObject>(_ type: Object.Type, _ instantiation: Instantiation) -> Object {
    // A class without wrappers needs none; while declarations are collected that is not known yet.
    if indices.count == 1, !isDeclaring { return type.init(instantiation) }
    var cursor = Cursor(
      next: isDeclaring ? nil : UnsafePointer(indices.baseAddress), scope: .passUnretained(self))
    return withUnsafeMutablePointer(to: &cursor) { cursor in
      let outer = pthread_getspecific(Self.slot)
      pthread_setspecific(Self.slot, cursor)
      defer { pthread_setspecific(Self.slot, outer) }
      return type.init(instantiation)
    }
  }

  /// The index of the wrapper that is being initialised.
  @usableFromInline static func nextIndex(_ declaration: () -> PropertyDeclaration) -> Int32 {
    guard let pointer = pthread_getspecific(slot) else { return noIndex }
    let cursor = pointer.assumingMemoryBound(to: Cursor.self)
    guard let next = cursor.pointee.next else {
      return cursor.pointee.scope.takeUnretainedValue().declare(declaration())
    }
    let index = next.pointee
    if index != noIndex { cursor.pointee.next = next + 1 }
    return index
  }

  private func declare(_ declaration: PropertyDeclaration) -> Int32 {
    declarations.append(declaration)
    return Int32(declarations.count - 1)
  }
}
