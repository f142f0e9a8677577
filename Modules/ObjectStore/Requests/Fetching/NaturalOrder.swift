import Foundation

/// The order in which people expect texts in a list, without a language, so that it is the same everywhere.
///
/// Texts are compared in three steps, each of which decides only if those before do not: without case, accents and width, runs of
/// digits by the number that they are; without case; as they are. Within a step Unicode scalars are compared by their numbers.
enum NaturalOrder {
  /// Lower than whatever a text is likely to begin with, so that a shorter text comes before those that it begins.
  private static let separator = "\u{1}"

  /// A text whose place among others, by Unicode scalars, is that of `text`.
  static func key(of text: String) -> String {
    let base = text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    let caseless = text.folding(options: .caseInsensitive, locale: nil)
    return numbered(base) + separator + caseless + separator + text
  }

  /// The text with each number preceded by how many digits it has, so that longer ones come later.
  private static func numbered(_ text: String) -> String {
    guard text.utf8.contains(where: { digits.contains($0) }) else { return text }
    var result: [UInt8] = []
    var number: [UInt8] = []
    func endNumber() {
      guard !number.isEmpty else { return }
      let value = number.drop { $0 == UInt8(ascii: "0") }
      // Longer ones than nine digits follow under signs behind “9”, which tell how many digits their length has.
      if value.count > 9 {
        let length = String(value.count)
        result += [UInt8(ascii: ":") + UInt8(min(length.utf8.count, 10))] + length.utf8
      } else {
        result.append(UInt8(ascii: "0") + UInt8(value.count))
      }
      result += value
      number = []
    }
    for byte in text.utf8 {
      if digits.contains(byte) {
        number.append(byte)
      } else {
        endNumber()
        result.append(byte)
      }
    }
    endNumber()
    return String(decoding: result, as: UTF8.self)
  }

  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
