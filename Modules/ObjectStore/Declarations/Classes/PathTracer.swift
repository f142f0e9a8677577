#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds out which properties a key path leads through, by following it on an object that only notes what is read.
final class PathTracer {
  private var indices: [Int] = []
  private let probe: PathProbe
  private let destination: (Int) -> ManagedObject?

  private init(_ probe: PathProbe, destination: @escaping (Int) -> ManagedObject?) {
    self.probe = probe
    self.destination = destination
  }

  private static let slot: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The indices of the properties that `body` reads from tracing objects, in order.
  ///
  /// - Parameters:
  ///   - probe: Which values attributes have meanwhile.
  ///   - destination: Gives the tracing object that a relationship leads to.
  static func trace(
    _ probe: PathProbe = .empty, destination: @escaping (Int) -> ManagedObject? = { _ in nil },
    _ body: () -> Void
  ) -> [Int] {
    let tracer = PathTracer(probe, destination: destination)
    let outer = pthread_getspecific(slot)
    pthread_setspecific(slot, Unmanaged.passUnretained(tracer).toOpaque())
    body()
    pthread_setspecific(slot, outer)
    return tracer.indices
  }

  /// Which values the attributes of tracing objects have now.
  static var probe: PathProbe {
    guard let pointer = pthread_getspecific(slot) else { return .empty }
    return Unmanaged<PathTracer>.fromOpaque(pointer).takeUnretainedValue().probe
  }

  /// Called by tracing objects. Gives the object that the relationship leads to, if it is one.
  @discardableResult static func note(_ index: Int) -> ManagedObject? {
    guard let pointer = pthread_getspecific(slot) else { return nil }
    let tracer = Unmanaged<PathTracer>.fromOpaque(pointer).takeUnretainedValue()
    tracer.indices.append(index)
    return tracer.destination(index)
  }
}
