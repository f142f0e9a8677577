import ChangeTracking

/// Which sets nobody needs any more, from what devices have, whole stores contain, and was announced. A value without I/O.
///
/// A set may go if the newest whole stores that open contain it, if that was announced long enough ago, and if each device that has a
/// head has merged it, unless it had 90 days for that since the announcement. Whoever lacks sets below a floor that is in force comes back with
/// a whole store, so nothing waits for him any more. Times are those of one clock, that of the device that
/// reckons, from when it first read the announcement: no other clock is believed.
package struct VacuumReckoning {
  var policy: VacuumPolicy
  /// Milliseconds since 1970.
  var now: UInt64
  /// What each device that has a head has, its own sets among it.
  var members: [AuthorID: VersionVector]
  /// What each of the whole stores contains that remain.
  var stores: [VersionVector]
  /// The sets of each of these whole stores, of all branches.
  var contained: [[AuthorID: Set<SetName>]]
  /// The sets that lie there.
  var sets: [AuthorID: [SetName]]
  /// The sets that are settled here, of all branches, whether they lie there or not.
  var settled: [AuthorID: [SetName]]
  /// What was announced, or is in force, and since when this device knows.
  var floors: [RegistrationPins.KnownFloor]

  /// What whole stores contain of what lies there. The last set of each author stays, for his head names it, and so do those from where
  /// on there is more than one under a number, or a whole store has another branch: not everybody may know of all branches.
  package var covered: VersionVector {
    guard let first = stores.first else { return VersionVector() }
    var covered = stores.dropFirst().reduce(first) { $0.intersection($1) }
    for author in covered.sequences.keys {
      let listed = sets[author] ?? []
      let last = listed.map(\.sequence).max() ?? 0
      var limit = min(covered[author], last - min(last, 1))
      let strange = listed.filter { set in contained.contains { $0[author]?.contains(set) != true } }
      let parting = [
        Self.doubled(Set(listed).union(settled[author] ?? []).map(\.sequence)),
        strange.map(\.sequence).min(),
      ]
      for first in parting.compactMap(\.self) { limit = min(limit, first - min(first, 1)) }
      covered[author] = limit
    }
    return covered
  }

  private static func doubled(_ sequences: [UInt64]) -> UInt64? {
    var seen: Set<UInt64> = []
    return sequences.filter { !seen.insert($0).inserted }.min()
  }

  /// Of each author, the sets that all devices have for which anything waits.
  private var merged: VersionVector {
    let passed = passed
    let all = members.values.filter { $0.covers(passed) }
    guard let first = all.first else { return VersionVector() }
    return all.dropFirst().reduce(first) { $0.intersection($1) }
  }

  /// Of each author, the sets that may be gone already: nobody waits for who lacks one of them.
  var passed: VersionVector {
    floors.filter { isInForce($0) }.reduce(VersionVector()) { $0.union($1.content) }
  }

  /// Whether sets below a floor may be gone.
  private func isInForce(_ floor: RegistrationPins.KnownFloor) -> Bool { floor.name.phase == .inForce }

  private func age(_ floor: RegistrationPins.KnownFloor) -> UInt64 { now - min(floor.since, now) }

  /// Of each author, the sets below the floor that is in force from now on.
  ///
  /// What was in force stays so, even if less is contained in what whole stores are left.
  package var floor: VersionVector {
    let merged = merged
    var floor = VersionVector()
    for known in floors {
      if isInForce(known) {
        floor = floor.union(known.content)
      } else if age(known) >= policy.absence {
        floor = floor.union(known.content.intersection(covered))
      } else if age(known) >= policy.grace {
        floor = floor.union(known.content.intersection(covered).intersection(merged))
      }
    }
    return policy.grace == 0 ? floor.union(covered.intersection(merged)) : floor
  }

  /// The sets that may go now.
  var removable: [AuthorID: [SetName]] {
    let bound = floor.intersection(covered)
    return sets.reduce(into: [:]) { result, entry in
      let names = entry.value.filter { $0.sequence <= bound[entry.key] }
      if !names.isEmpty { result[entry.key] = names.sorted() }
    }
  }

  /// What is to be announced; `nil` if that was done.
  var announcement: VersionVector? {
    let rest = covered
    guard !rest.sequences.isEmpty, !floor.covers(rest),
      !floors.contains(where: { $0.content.covers(rest) }),
      floors.filter({ $0.name.phase == .announced && !floor.covers($0.content) }).count
        < Self.announcementLimit
    else { return nil }
    return rest
  }

  /// Announcements that wait at the same time, at most.
  private static let announcementLimit = 8

  /// Who has not merged what whole stores contain.
  package var behind: [AuthorID] { members(lacking: covered) }

  /// Who has not merged what is below the floor: it was away for too long.
  package var absent: [AuthorID] { members(lacking: floor) }

  private func members(lacking sets: VersionVector) -> [AuthorID] {
    members.filter { !$0.value.covers(sets) }.keys.sorted()
  }
}

extension VacuumReckoning {
  /// Reckons for somebody who only looks: he has waited for nothing, so nothing that was announced is old, and of branches he knows what
  /// lies there and what whole stores contain.
  package init(
    looking members: [AuthorID: VersionVector], stores: [VersionVector],
    contained: [[AuthorID: Set<SetName>]], sets: [AuthorID: [SetName]], floors: [HistoryFloor: VersionVector]
  ) {
    let settled = contained.reduce(into: [AuthorID: Set<SetName>]()) { all, store in
      all.merge(store) { $0.union($1) }
    }
    self.init(
      policy: VacuumPolicy(), now: 0, members: members, stores: stores, contained: contained, sets: sets,
      settled: settled.mapValues { $0.sorted() },
      floors: floors.map { RegistrationPins.KnownFloor(name: $0.key, content: $0.value, since: 0) })
  }
}
