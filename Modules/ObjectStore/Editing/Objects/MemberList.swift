/// The members of a to-many relationship in their order, each once. Removing from the middle is linear if there is an order.
struct MemberList {
  private(set) var objects: [ManagedObject] = []
  // Made when it is first needed: most lists are only read.
  private var positions: [ObjectIdentifier: Int]?
  private static let linearLimit = 8

  init(_ objects: [ManagedObject] = []) {
    self.objects = objects
  }

  mutating func contains(_ object: ManagedObject) -> Bool { position(of: object) != nil }

  private mutating func position(of object: ManagedObject) -> Int? {
    if let positions { return positions[ObjectIdentifier(object)] }
    if objects.count <= Self.linearLimit { return objects.firstIndex { $0 === object } }
    let positions = Dictionary(
      objects.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions
    return positions[ObjectIdentifier(object)]
  }

  mutating func append(_ object: ManagedObject) {
    positions?[ObjectIdentifier(object)] = objects.count
    objects.append(object)
  }

  mutating func insert(_ object: ManagedObject, at position: Int) {
    if position >= objects.count { return append(object) }
    objects.insert(object, at: max(0, position))
    positions = nil
  }

  mutating func replace(_ old: ManagedObject, by new: ManagedObject) {
    guard let position = position(of: old) else { return }
    objects[position] = new
    positions = nil
  }

  mutating func remove(_ object: ManagedObject, keepingOrder: Bool) {
    guard let position = position(of: object) else { return }
    if keepingOrder {
      objects.remove(at: position)
      positions = nil
      return
    }
    objects.swapAt(position, objects.count - 1)
    objects.removeLast()
    positions?[ObjectIdentifier(object)] = nil
    if position < objects.count { positions?[ObjectIdentifier(objects[position])] = position }
  }
}
