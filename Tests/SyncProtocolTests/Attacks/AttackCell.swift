/// What comes of an attack, in the words of `Docs/Security.md`.
struct AttackCell: Equatable, CustomStringConvertible, Sendable {
  /// From what touches nobody to what stops everybody.
  enum Outcome: String, CaseIterable, Comparable, Sendable {
    case harmless, healed
    case newcomersWait = "newcomers wait"
    case waits, stops
    /// Possible only without encryption.
    case believed

    static func < (left: Outcome, right: Outcome) -> Bool {
      guard let one = allCases.firstIndex(of: left), let other = allCases.firstIndex(of: right) else {
        return false
      }
      return one < other
    }
  }

  /// Who tells of it.
  enum Witness: String, CaseIterable, Sendable { case sync, join, verify }

  var outcome: Outcome
  var witnesses: [Witness]

  var description: String {
    witnesses.isEmpty
      ? outcome.rawValue : "\(outcome.rawValue): \(witnesses.map(\.rawValue).joined(separator: ", "))"
  }

  static func harmless(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .harmless, witnesses: witnesses)
  }
  static func healed(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .healed, witnesses: witnesses)
  }
  static func newcomersWait(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .newcomersWait, witnesses: witnesses)
  }
  static func waits(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .waits, witnesses: witnesses)
  }
  static func stops(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .stops, witnesses: witnesses)
  }
  static func believed(_ witnesses: Witness...) -> AttackCell {
    AttackCell(outcome: .believed, witnesses: witnesses)
  }
}

extension AttackCell {
  /// What was seen in one way of attacking.
  init(_ seen: AttackObservation) {
    if !seen.wrong.isEmpty || !seen.agreesOnceRemoved && !seen.agreesOnceRestored {
      outcome = .believed
    } else if seen.isStopped {
      outcome = .stops
    } else if !seen.membersAgree {
      outcome = .waits
    } else if !seen.newcomerAgrees {
      outcome = .newcomersWait
    } else {
      outcome = seen.isHealed ? .healed : .harmless
    }
    witnesses = []
    if seen.isTold { witnesses.append(.sync) }
    if seen.isNewcomerTold { witnesses.append(.join) }
    if seen.isNamed { witnesses.append(.verify) }
  }

  /// The worst of several ways, and who tells of each of them.
  init?(_ ways: [AttackCell]) {
    guard let worst = ways.map(\.outcome).max() else { return nil }
    outcome = worst
    witnesses = Witness.allCases.filter { witness in ways.allSatisfy { $0.witnesses.contains(witness) } }
  }
}
