/// The master keys at hand: the first seals, all of them open.
///
/// More than one is needed while a document moves from an old key to a new one.
public struct KeyRing: Sendable {
  /// The key that new containers are sealed with.
  public private(set) var primary: MasterKey
  private var keys: [KeyIdentifier: MasterKey]

  /// A ring of one key or more.
  public init(_ primary: MasterKey, _ others: MasterKey...) {
    self.init(primary, others: others)
  }

  /// A ring of one key or more.
  public init(_ primary: MasterKey, others: [MasterKey]) {
    self.primary = primary
    keys = [primary.identifier: primary]
    for key in others where keys[key.identifier] == nil { keys[key.identifier] = key }
  }

  /// The names of all keys, in no order.
  public var identifiers: some Collection<KeyIdentifier> { keys.keys }

  /// The key of a name, or `nil`.
  public subscript(identifier: KeyIdentifier) -> MasterKey? { keys[identifier] }

  /// All keys, the one that seals first.
  public var all: [MasterKey] {
    [primary]
      + keys.values.filter { $0.identifier != primary.identifier }
      .sorted { $0.identifier.description < $1.identifier.description }
  }

  /// The same ring with one more key, which seals from now on.
  public func replacingPrimary(with key: MasterKey) -> KeyRing {
    KeyRing(key, others: [primary] + keys.values)
  }
}
