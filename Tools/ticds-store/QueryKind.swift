import ObjectStore

/// What kind of values a side of a comparison has. Those of one kind can be compared, and nothing can be said of two that differ.
enum QueryKind {
  case number, text, date, uuid, bytes, object

  /// The kind as the end of a sentence that begins with a name.
  var words: String {
    switch self {
    case .number: "a number"
    case .text: "text"
    case .date: "a date"
    case .uuid: "a UUID"
    case .bytes: "bytes"
    case .object: "an object"
    }
  }
}

extension QueryPath.End {
  /// `nil` for an attribute of which the type does not tell.
  var kind: QueryKind? {
    switch self {
    case .relationship: .object
    case .count, .computed: .number
    case .attribute(let type): type.queryKind
    }
  }
}

extension AttributeType {
  fileprivate var queryKind: QueryKind? {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
    case .string, .uri: .text
    case .date: .date
    case .uuid: .uuid
    case .binary, .transformable, .composite: .bytes
    case .undefined, .objectID: nil
    }
  }
}
