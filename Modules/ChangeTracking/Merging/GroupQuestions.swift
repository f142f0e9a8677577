/// The conflicts of properties that merge as one cell (``MergeKind/group(_:)``): one answer decides all of a group.
struct GroupQuestions {
  /// One write of a group.
  struct Group: Hashable {
    var object: RecordID
    var name: String
    var remote: Stamp
  }

  var answers: [Group: ConflictAnswer] = [:]
  /// Groups of which the first conflict has no answer yet.
  var open: Set<Group> = []

  /// The group of a property, if it has one.
  func group(of property: KnownProperty, object: RecordID, remote: Stamp) -> Group? {
    guard case .group(let name) = property.declaredMerge else { return nil }
    return Group(object: object, name: name, remote: remote)
  }
}

extension ConflictAnswer {
  /// The answer for the other properties of a group: a value is meant for the one that was asked about.
  var ofGroup: ConflictAnswer {
    if case .value = self { .latest } else { self }
  }
}
