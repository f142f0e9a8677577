import ObjectStore

/// Cuts changes into the sets that they make together, none of which exceeds ``SetLimits``.
struct SetDivision {
  /// The changes of each set, none of them empty.
  private(set) var sets: [[Change]] = []
  /// Of each set, a time before everything that later sets say; the last has none after it.
  private(set) var bounds: [LogicalTime?] = []
  private var open: [Change] = []
  private var size = SetSize()

  /// - Parameter fits: whether one set can say all.
  init(_ changes: [Change], fits: Bool = false) {
    if fits {
      if !changes.isEmpty { (sets, bounds) = ([changes], [nil]) }
      return
    }
    for change in changes { append(change) }
    close()
    var earliest: LogicalTime?
    for set in sets.reversed() {
      bounds.append(earliest.map { LogicalTime(bits: $0.bits == 0 ? 0 : $0.bits - 1) })
      earliest = set.reduce(earliest) { min($0 ?? $1.time, $1.time) }
    }
    bounds.reverse()
  }

  private mutating func append(_ change: Change) {
    var change = change
    while true {
      if size.adding(change).fits {
        size.add(change)
        open.append(change)
        return
      }
      if !open.isEmpty {
        close()
        continue
      }
      // One change alone is too much: the rest of its registers travels in another of the same time.
      let registers = change.registers
      var taken = SetSize()
      var count = 0
      for register in registers {
        taken.add(register)
        if count > 0, !taken.fits { break }
        count += 1
      }
      guard count < registers.count else {
        open.append(change)
        return close()
      }
      let (first, rest) = Self.divided(change, at: count)
      open.append(first)
      close()
      change = rest
    }
  }

  /// A change with the first of its registers, and one with the others.
  private static func divided(_ change: Change, at count: Int) -> (Change, Change) {
    let registers = change.registers
    let (head, tail) = (Array(registers[..<count]), Array(registers[count...]))
    var (first, rest) = (change, change)
    switch change.action {
    case .insert: (first.action, rest.action) = (.insert(head), .update(tail))
    case .update: (first.action, rest.action) = (.update(head), .update(tail))
    case .clear: (first.action, rest.action) = (.clear(head), .clear(tail))
    case .delete, .link, .unlink, .place, .contribute: break
    }
    return (first, rest)
  }

  private mutating func close() {
    if open.isEmpty { return }
    sets.append(open)
    open = []
    size = SetSize()
  }
}

/// How much of what ``SetLimits`` allows some changes take, at most.
struct SetSize {
  private(set) var changes = 0
  private var values = 0
  private var bytes = 0
  private var formerAuthors: Set<AuthorID> = []

  /// Whether a set can say it. The first change that does not fit begins a new one.
  var fits: Bool {
    changes <= SetLimits.changes && values <= SetLimits.values && bytes <= SetLimits.preferredSize
      && formerAuthors.count <= SetLimits.formerAuthors
  }

  /// About how many bytes the content of some changes takes.
  static func bytes(of changes: [Change]) -> Int {
    var size = SetSize()
    for change in changes { size.add(change) }
    return size.bytes
  }

  func adding(_ change: Change) -> SetSize {
    var size = self
    size.add(change)
    return size
  }

  mutating func add(_ change: Change) {
    changes += 1
    values += 1
    bytes += 20 + Self.length(of: change.object)
    switch change.action {
    case .insert(let registers), .update(let registers), .clear(let registers):
      for register in registers { add(register) }
    case .delete: break
    case .link(_, let target), .unlink(_, let target): addTarget(target)
    case .place(_, let target, _, let place):
      addTarget(target)
      bytes += 2 + place.count
    case .contribute(_, let value, let origin):
      bytes += 8 + Self.length(of: value)
      if let origin { formerAuthors.insert(origin) }
    }
  }

  mutating func add(_ register: Register) {
    values += 1
    switch register.content {
    case .value(let value): bytes += 4 + Self.length(of: value)
    case .longValue: bytes += 4 + ContentHash.byteCount
    case .target(let target): if let target { addTarget(target) }
    }
  }

  private mutating func addTarget(_ target: SyncID) {
    values += 1
    bytes += 4 + Self.length(of: target)
  }

  private static func length(of identifier: SyncID) -> Int {
    if case .text(let text) = identifier { 2 + text.utf8.count } else { 17 }
  }

  static func length(of value: AttributeValue) -> Int {
    switch value {
    case .string(let text), .uri(let text): text.utf8.count
    case .data(let bytes): bytes.count
    case .decimal: 200
    default: 16
    }
  }
}

extension ChangeSet {
  /// About how many bytes its content takes in memory, however few its file has.
  package var contentSize: Int { SetSize.bytes(of: changes) }
}
