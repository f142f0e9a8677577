import ChangeTracking
import ObjectStore

/// What the application writes and records, on its way to another store.
extension LocalStoreConformance {
  static let recordingLaws = [
    Law("what is recorded here shows in another store as it does here") { context in
      let other = try context.anotherStore()
      let (here, there) = (try context.replica(), try other.replica())
      var edits = try RecordedEdits(context)
      var shown = ShownRows(other)
      for round in RecordedEdits.Round.allCases {
        try edits.make(round)
        try here.freeze()
        let sets = try here.outbox().map {
          ReceivedSet(set: try CompactCodec.decode($0.bytes), hash: $0.hash)
        }
        // Long values travel beside the sets.
        shown.note(try other.merge(sets, into: there))
        try there.receiveAll(from: here)
        let (mine, theirs) = (try edits.shown.lines(), try shown.lines())
        let differing = Set(mine).symmetricDifference(theirs).sorted()
        try context.expect(
          differing.isEmpty,
          "after \(round), what was recorded shows otherwise in another store: \(differing.prefix(4).joined(separator: "; ").prefix(600))"
        )
      }
    }
  ]
}

extension Replica {
  /// Takes the long values that are awaited from another replica.
  fileprivate func receiveAll(from other: Replica) throws {
    var values = FetchedLongValues()
    for value in try awaitedLongValues() {
      if let bytes = try other.unsentLongValue(value.hash) { _ = values.add(bytes, as: value) }
    }
    try receive(values)
  }
}

/// What an application does to a store and records, as ``ChangeRecorder`` says.
private struct RecordedEdits {
  enum Round: CaseIterable { case insertions, updates, deletions }

  private(set) var shown: ShownRows
  private let context: LawContext
  private let recorder: ChangeRecorder
  private var rows: [RowReference] = []
  private var count = 0

  init(_ context: LawContext) throws {
    self.context = context
    shown = ShownRows(context)
    recorder = try ChangeRecorder(
      schema: context.store.schema, database: context.store.database, now: { 1_700_000_000_000 })
  }

  mutating func make(_ round: Round) throws {
    let recording = try context.transaction {
      let recording = try recorder.recording()
      switch round {
      case .insertions: try insertAll(recording)
      case .updates: try updateAll(recording)
      case .deletions: try deleteSome(recording)
      }
      return recording
    }
    _ = recording
  }

  // MARK: Insertions

  /// For every value of an attribute a row, and for every relationship rows that it connects.
  private mutating func insertAll(_ recording: ChangeRecorder.Recording) throws {
    for entity in context.entities {
      let places = context.attributes.filter {
        $0.entity == entity && !context.schema($0).merge.isFolded && isFirstOfFamily($0)
      }
      let most = places.map { context.values(for: $0).count }.max() ?? 1
      for number in 0..<max(3, most) {
        // Every row has other values, for they may have to be unique.
        let values = places.compactMap { place -> PropertyValue? in
          let values = context.values(for: place)
          return values.indices.contains(number)
            ? PropertyValue(property: place.property, value: values[number]) : nil
        }
        try insert(entity, values, recording)
      }
    }
    try connect(recording)
  }

  /// Whether an attribute may take any value: of those that must be unique in a family only one entity's may.
  private func isFirstOfFamily(_ place: LawContext.Place) -> Bool {
    func key(_ place: LawContext.Place) -> [String] {
      [context.store.schema[place.entity].root, context.schema(place).name]
    }
    return !context.isUnique(place) || context.attributes.first { key($0) == key(place) } == place
  }

  private mutating func insert(
    _ entity: LocalEntity, _ values: [PropertyValue], _ recording: ChangeRecorder.Recording
  ) throws {
    count += 1
    // As one that the application made long ago, so that it is not taken for one of the next moment.
    let row = try context.insert(entity, SyncID("recorded-\(count)"), values)
    try recording.insert(row)
    rows.append(row)
    shown.note([row])
  }

  private func rows(of entities: [LocalEntity]) -> [RowReference] {
    rows.filter { entities.contains($0.entity) }
  }

  private func connect(_ recording: ChangeRecorder.Recording) throws {
    for place in context.places(where: { $0.kind.destination != nil }) {
      let (sources, targets) = (rows(of: [place.entity]), rows(of: try context.targets(of: place)))
      switch context.schema(place).kind {
      case .attribute: continue
      case .toOne(_, let isExclusive):
        for (index, source) in sources.prefix(3).enumerated() {
          guard let target = isExclusive ? targets.dropFirst(index).first : targets.first else { continue }
          try context.store.setTarget(of: source, place.property, to: target)
          try recording.update(source, [place.property])
        }
        try arrange(place, isInverse: true, owner: targets.first, recording)
      case .partner:
        guard sources.count > 1 else { continue }
        for (row, partner) in [(sources[0], sources[1]), (sources[1], sources[0])] {
          try context.store.setTarget(of: row, place.property, to: partner)
          try recording.update(row, [place.property])
        }
      case .toMany:
        for source in sources.prefix(2) {
          for target in targets.prefix(5) where target != source {
            try context.store.link(source, place.property, to: target)
            try recording.link(source, place.property, to: target.row)
          }
        }
        try arrange(place, isInverse: false, owner: sources.first, recording)
        try arrange(place, isInverse: true, owner: targets.first, recording)
      }
    }
  }

  /// Turns the order of a list round.
  private func arrange(
    _ place: LawContext.Place, isInverse: Bool, owner: RowReference?,
    _ recording: ChangeRecorder.Recording
  ) throws {
    guard let owner, context.schema(place).order.contains(isInverse ? .sources : .targets) else { return }
    let list = OrderedList(
      entity: place.entity, property: place.property, isInverse: isInverse, owner: owner.row)
    let members = try context.store.members(of: list)
    _ = try context.store.arrange(members.reversed(), of: list)
    try recording.reorder(list)
  }

  // MARK: Later edits

  private func updateAll(_ recording: ChangeRecorder.Recording) throws {
    for place in context.attributes where !context.schema(place).merge.isFolded && isFirstOfFamily(place) {
      guard let row = rows(of: [place.entity]).last else { continue }
      // One that no row of the entity shows yet.
      guard
        let value = context.values(for: place).last(where: { value in
          (try? context.store.canHold(value, place.entity, place.property) && !isShown(value, place)) ?? false
        }) ?? context.values(for: place).first(where: { _ in !context.isUnique(place) })
      else { continue }
      try context.store.updateRow(row, values: [PropertyValue(property: place.property, value: value)])
      try recording.update(row, [place.property])
    }
    for place in context.places(where: { if case .toMany = $0.kind { true } else { false } }) {
      guard let source = rows(of: [place.entity]).first,
        let target = rows(of: try context.targets(of: place)).dropFirst(2).first, target != source
      else { continue }
      try context.store.unlink(source, place.property, from: target)
      try recording.unlink(source, place.property, from: target.row)
    }
  }

  private func isShown(_ value: AttributeValue, _ place: LawContext.Place) throws -> Bool {
    try rows(of: [place.entity]).contains { try context.content($0, place.property) == .value(value) }
  }

  private mutating func deleteSome(_ recording: ChangeRecorder.Recording) throws {
    for entity in context.entities {
      guard let row = rows(of: [entity]).dropFirst().first,
        let syncID = try context.store.readRow(row, [])?.syncID
      else { continue }
      try context.store.deleteRow(row)
      try recording.delete(row, syncID)
      rows.removeAll { $0 == row }
      shown.remove(row)
    }
  }
}
