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
  private let indices: ContiguousArray<Int32>
  private var position = 0
  private(set) var declarations: [PropertyDeclaration] = []
  private let isDeclaring: Bool

  private init(indices: ContiguousArray<Int32>, isDeclaring: Bool) {
    self.indices = indices
    self.isDeclaring = isDeclaring
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
    position = 0
    let outer = pthread_getspecific(Self.slot)
    pthread_setspecific(Self.slot, Unmanaged.passUnretained(self).toOpaque())
    defer { pthread_setspecific(Self.slot, outer) }
    return type.init(instantiation)
  }

  /// The index of the wrapper that is being initialised.
  @usableFromInline static func nextIndex(_ declaration: () -> PropertyDeclaration) -> Int32 {
    guard let pointer = pthread_getspecific(slot) else { return .max }
    let scope = Unmanaged<InstantiationScope>.fromOpaque(pointer).takeUnretainedValue()
    return scope.next(declaration)
  }

  private func next(_ declaration: () -> PropertyDeclaration) -> Int32 {
    if isDeclaring {
      declarations.append(declaration())
      return Int32(declarations.count - 1)
    }
    // Out of range for every object: such a property reads as absent.
    guard position < indices.count else { return .max }
    position += 1
    return indices[position - 1]
  }
}
