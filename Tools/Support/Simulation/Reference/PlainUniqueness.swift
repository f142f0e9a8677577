/// Which objects show values that must be unique, alone or several together.
///
/// The constraints of a family that have attributes in common are one claim, which belongs to whoever wrote any of these attributes last. An object shows the
/// first attribute of a constraint unless one with a greater claim shows all its values.
struct PlainUniqueness {
  /// An object with what it wrote to attributes that must be unique.
  struct Claimant {
    var object: ReferenceState.Object
    var entity: String
    var stamps: [String: PlainStamp] = [:]
    /// Those that are not null, as bytes.
    var values: [String: [UInt8]] = [:]

    func claim(on keys: Set<String>) -> PlainStamp {
      stamps.filter { keys.contains($0.key) }.values.reduce(.never) { $1.later($0) }
    }
  }

  private struct Shown: Hashable {
    var constraint: ReferenceRules.Constraint
    var values: [[UInt8]]
  }

  /// Attributes that show nothing, for others show their values.
  private(set) var hidden: Set<ReferenceState.Cell> = []

  init(_ claimants: [Claimant], _ rules: ReferenceRules) {
    for claim in rules.claims {
      let keys = Set(claim.flatMap(\.keys))
      let concerned = claimants.filter { claimant in
        claim.contains { $0.entities.contains(claimant.entity) }
      }.map { (claimant: $0, stamp: $0.claim(on: keys)) }
      settle(concerned.sorted(by: Self.outranks).map(\.claimant), claim)
    }
  }

  /// Of two with one stamp, which only copies of a store can make, the object with the greater identifier outranks the other.
  private static func outranks(
    _ one: (claimant: Claimant, stamp: PlainStamp), _ other: (claimant: Claimant, stamp: PlainStamp)
  ) -> Bool {
    one.stamp == other.stamp
      ? other.claimant.object.id.precedes(one.claimant.object.id) : one.stamp.isAfter(other.stamp)
  }

  /// - Parameter claimants: the greatest claim first.
  private mutating func settle(_ claimants: [Claimant], _ claim: [ReferenceRules.Constraint]) {
    var taken: Set<Shown> = []
    for claimant in claimants {
      let own = claim.filter { $0.entities.contains(claimant.entity) }
      var given: Set<String> = []
      // What an attribute gives way to may itself depend on what another shows; as often as there are constraints it may change.
      for _ in 0...own.count {
        given = Set(
          own.compactMap { constraint in
            let first = constraint.keys[0]
            return shown(claimant, constraint, without: given.subtracting([first])).map(taken.contains)
              ?? false
              ? first : nil
          })
      }
      for constraint in own {
        if let shown = shown(claimant, constraint, without: given) { taken.insert(shown) }
      }
      hidden.formUnion(given.map { ReferenceState.Cell(object: claimant.object, key: $0) })
    }
  }

  /// The values of a constraint; `nil` if one is missing.
  private func shown(
    _ claimant: Claimant, _ constraint: ReferenceRules.Constraint, without given: Set<String>
  ) -> Shown? {
    let values = constraint.keys.compactMap { given.contains($0) ? nil : claimant.values[$0] }
    return values.count == constraint.keys.count ? Shown(constraint: constraint, values: values) : nil
  }
}
