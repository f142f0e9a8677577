import Foundation

extension AttributeValue {
  /// A default value or bound as the text of a model file gives it; `nil` if the text is not of the type.
  init?(modelText text: String, type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64:
      // Models whose attribute was a Boolean once keep its default, and the editor takes it as a number.
      let word: Int64? = text == "YES" ? 1 : text == "NO" ? 0 : nil
      guard let number = Int64(text) ?? Double(text).flatMap(Int64.init(exactly:)) ?? word else { return nil }
      self = .integer(number)
    case .boolean:
      switch text.uppercased() {
      case "YES", "TRUE", "1": self = .boolean(true)
      case "NO", "FALSE", "0": self = .boolean(false)
      default: return nil
      }
    case .decimal:
      guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else { return nil }
      self = .decimal(number)
    case .double:
      guard let number = Double(text) else { return nil }
      self = .double(number)
    case .float:
      guard let number = Float(text) else { return nil }
      self = .float(number)
    case .date:
      guard let seconds = Double(text) else { return nil }
      self = .date(seconds)
    case .string: self = .string(text)
    case .uri: self = .uri(text)
    case .uuid:
      guard let uuid = UUID(uuidString: text) else { return nil }
      self = .uuid(uuid)
    case .undefined, .binary, .transformable, .objectID, .composite: return nil
    }
  }
}
