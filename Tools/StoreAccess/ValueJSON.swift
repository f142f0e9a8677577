import CommandLineTool
import CoreDataFormats
import Foundation
import ObjectStore

/// An attribute's value as JSON.
package enum ValueJSON {
  /// How the value of a transformable attribute is shown.
  package enum Transformables {
    /// As the decoded tree, for people.
    case decoded
    /// As the bytes that the store keeps, for programs that bring them back.
    case bytes
  }

  /// Dates as ISO 8601, data in base64, decimals as text, transformable values as the decoded tree.
  package static func json(
    _ value: AttributeValue, _ type: AttributeType, transformables: Transformables = .decoded
  ) -> JSONValue {
    switch value {
    case .null, .reference: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): number(value)
    case .float(let value): number(Double(value))
    case .decimal(let value): .string("\(value)")
    case .string(let value), .uri(let value): .string(value)
    case .date(let seconds): DateText.text(seconds).map { .string($0) } ?? number(seconds)
    case .uuid(let value): .string(value.uuidString)
    case .data(let bytes) where type == .transformable:
      (transformables == .decoded ? tree(bytes) : nil)
        ?? .object([.init(bytesKey, .string(Data(bytes).base64EncodedString()))])
    case .data(let bytes): .string(Data(bytes).base64EncodedString())
    }
  }

  /// Marks the bytes of a transformable value, for a bare text would be taken for one that was archived.
  static let bytesKey = "$bytes"
  /// Marks a value of which the file is missing.
  package static let missingFileKey = "$missingFile"

  /// JSON has no words for numbers that are not finite.
  package static func number(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
  }

  /// The value in an archive; `nil` if the bytes are none, as those of an application's own transformer.
  private static func tree(_ bytes: [UInt8]) -> JSONValue? {
    guard let archive = try? KeyedArchive(bytes), let value = try? archive.decode(allowing: .any) else {
      return nil
    }
    let json = ArchivedJSON.json(value)
    return json.isDeeper(than: deepestTree) ? nil : json
  }

  /// How deep a tree is shown: what is deeper could not be read back, since it stands in a member of a member of its object's line.
  private static let deepestTree = JSONDocument.depthLimit - 4
}
