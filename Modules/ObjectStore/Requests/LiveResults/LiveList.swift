/// Rows in order, divided into sections by the first of their values.
struct LiveList<Object: ManagedObject> {
  struct Entry {
    let object: Object
    /// The values of the sort keys, the section's first if there are sections.
    let values: [AttributeValue]
    /// The key that the object had when its place was found.
    let key: Int64
  }

  let order: SortOrder
  let hasSections: Bool
  private(set) var entries: [Entry]
  /// For each section, the index of its first row.
  private(set) var starts: [Int] = []

  /// - Parameter entries: in any order.
  init(_ entries: [Entry], order: SortOrder, hasSections: Bool) {
    self.order = order
    self.hasSections = hasSections
    self.entries = entries.sorted { order.precedes($0.values, $0.key, $1.values, $1.key) }
    divide()
  }

  private init(sorted entries: [Entry], like other: LiveList) {
    order = other.order
    hasSections = other.hasSections
    self.entries = entries
    divide()
  }

  private mutating func divide() {
    starts = []
    guard hasSections else {
      starts = [0]
      return
    }
    for index in entries.indices {
      let isSame = index > 0 && entries[index - 1].values[0].isSameGroup(as: entries[index].values[0])
      if !isSame { starts.append(index) }
    }
  }

  // MARK: - Places

  /// The section that begins with a row.
  func sectionValue(_ section: Int) -> AttributeValue {
    hasSections ? entries[starts[section]].values[0] : .null
  }

  func rows(of section: Int) -> Range<Int> {
    starts[section]..<(section + 1 < starts.count ? starts[section + 1] : entries.count)
  }

  func position(of index: Int) -> LiveChanges.Position {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= index { low = middle } else { high = middle }
    }
    return .init(section: low, row: index - (starts.isEmpty ? 0 : starts[low]))
  }

  /// The index of the first row that does not come before an entry.
  func place(of entry: Entry) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let other = entries[middle]
      if order.precedes(other.values, other.key, entry.values, entry.key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  // MARK: - Changing

  /// The list without some rows and with others. Gives the indices of the others in it, in the order of `insertions`.
  ///
  /// - Parameter removals: indices, ascending.
  func replacing(_ removals: [Int], with insertions: [Entry]) -> (list: LiveList, indices: [Int]) {
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count + insertions.count)
    var start = 0
    for index in removals {
      kept += entries[start..<index]
      start = index + 1
    }
    kept += entries[start...]
    let rest = LiveList(sorted: kept, like: self)
    let sorted = insertions.indices.sorted {
      order.precedes(insertions[$0].values, insertions[$0].key, insertions[$1].values, insertions[$1].key)
    }
    var merged: [Entry] = []
    merged.reserveCapacity(kept.count + insertions.count)
    var indices = Array(repeating: 0, count: insertions.count)
    start = 0
    for insertion in sorted {
      let place = rest.place(of: insertions[insertion])
      merged += kept[start..<place]
      start = place
      indices[insertion] = merged.count
      merged.append(insertions[insertion])
    }
    merged += kept[start...]
    return (LiveList(sorted: merged, like: self), indices)
  }
}

extension AttributeValue {
  /// Whether two values are equal in the order of the store.
  func isSameGroup(as other: AttributeValue) -> Bool { !precedes(other) && !other.precedes(self) }

  /// The value for people.
  var text: String {
    switch self {
    case .null: ""
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .double(let value), .date(let value): String(value)
    case .float(let value): String(value)
    case .decimal(let value): "\(value)"
    case .string(let value), .uri(let value): value
    case .data(let bytes): "\(bytes.count)"
    case .uuid(let value): value.uuidString
    case .reference(_, let key): String(key)
    }
  }
}
