import CommandLineTool
import Foundation
import ObjectStore

/// A property to sort by.
struct QuerySortKey {
  let path: QueryPath
  let isDescending: Bool

  init(_ text: String, entity: EntityDescription, model: ManagedObjectModel) throws(ToolFailure) {
    isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    // As in conditions, where a # tells a name from a key word.
    let names = name.split(separator: ".", omittingEmptySubsequences: false).map {
      String($0.hasPrefix("#") ? $0.dropFirst() : $0)
    }
    path = try QueryPath(names, from: entity, in: model)
    guard !path.isMany else { throw .usage("“\(name)” has several values, so it cannot be sorted by") }
  }
}

/// Gathers objects in order and lets go of those beyond the limit, so that no more than twice as many are held.
struct QuerySorting {
  private typealias Entry = (values: [AttributeValue], object: StoredObject)

  private let keys: [QuerySortKey]
  private let limit: Int
  private var entries: [Entry] = []

  init(keys: [QuerySortKey], limit: Int) {
    self.keys = keys
    self.limit = limit
  }

  mutating func insert(_ object: StoredObject, from source: any StoredObjectSource) throws {
    let values = try keys.map { try $0.path.values(of: object, in: source).first ?? .null }
    entries.append((values, object))
    if limit < .max / 4, entries.count > max(1_000, 2 * limit) { sort() }
  }

  /// The objects in order, as many as the limit allows.
  var objects: [StoredObject] {
    var copy = self
    copy.sort()
    return copy.entries.map(\.object)
  }

  private mutating func sort() {
    entries = Array(entries.sorted { precedes($0, $1) }.prefix(limit))
  }

  /// Missing values come before all others, as in Core Data; equal objects stay in the order of their keys.
  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    for (index, key) in keys.enumerated() {
      let (first, second) = (left.values[index], right.values[index])
      let order: ComparisonResult =
        switch (first.isNull, second.isNull) {
        case (true, false): .orderedAscending
        case (false, true): .orderedDescending
        default: QueryTest.order(first, second) ?? .orderedSame
        }
      if order != .orderedSame { return (order == .orderedAscending) != key.isDescending }
    }
    return left.object.reference < right.object.reference
  }
}
