extension Derivation {
  enum Value: Sendable {
    /// The time of the save.
    case now
    /// Computed from the object and those it leads to.
    case operand(Operand)
  }

  var value: Value {
    switch kind {
    case .now: .now
    case .path(let names, let function):
      .operand(function.map { .text($0, .path(.names(names))) } ?? .path(.names(names)))
    case .aggregate(let aggregate, let members, let attribute):
      .operand(
        .members(
          aggregate, .init(path: .names(members), condition: nil), attribute.map { .path(.names([$0])) }))
    }
  }
}
