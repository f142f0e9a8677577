/// Looks values up in the long lists of a condition, which are sorted out once, however many objects are looked at.
final class ListedValues {
  private struct List {
    /// Kept, so that no other list comes to lie in its place.
    let values: [AttributeValue]
    let grouped: Set<AttributeValue>
    /// The form of all of them; `nil` if they differ.
    let form: AttributeValue.Form?
  }

  private var lists: [UnsafeRawPointer: List] = [:]
  /// Shorter ones are gone through faster.
  private static let shortest = 32

  func contains(_ value: AttributeValue, among values: [AttributeValue]) -> Bool {
    // Values of different forms may be equal all the same, as 1 and 1.0 are.
    if values.count >= Self.shortest, let list = list(values), list.form == value.form {
      return list.grouped.contains(value.grouping)
    }
    return values.contains { ConditionEvaluation.compare(value, .equal, $0) }
  }

  private func list(_ values: [AttributeValue]) -> List? {
    guard let place = values.withUnsafeBufferPointer({ $0.baseAddress.map(UnsafeRawPointer.init) }) else {
      return nil
    }
    if let known = lists[place] { return known }
    let forms = Set(values.map(\.form))
    let list = List(
      values: values, grouped: Set(values.map(\.grouping)), form: forms.count == 1 ? forms.first : nil)
    lists[place] = list
    return list
  }
}

extension AttributeValue {
  /// Values of one form are equal where their ``grouping`` is.
  fileprivate enum Form { case null, boolean, integer, real, date, text, data, uuid, reference }

  fileprivate var form: Form {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .integer: .integer
    case .double, .float, .decimal: .real
    case .date: .date
    case .string, .uri: .text
    case .data: .data
    case .uuid: .uuid
    case .reference: .reference
    }
  }
}
