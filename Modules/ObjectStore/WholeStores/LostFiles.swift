import Foundation
import TICDSSQLite

/// Finds values of a store in files beside it that a copy would not have.
struct LostFiles {
  let schema: StoreSchema
  let connection: Connection
  let values: ExternalValues

  /// - Parameter isMissed: whether what is not there is lost with the copy: where that keeps the reference, nothing changes.
  /// - Throws: `SQLiteError`.
  func losses(_ isMissed: (EntityDescription, AttributeDescription) -> Bool) throws -> [StoreLoss] {
    try schema.externalColumns.flatMap { column in
      let entity = schema.model.entities[column.entity]
      guard let attribute = entity.attribute(at: column.property) else { return [StoreLoss]() }
      let place = "\(entity.name).\(attribute.name)"
      var (missing, unreadable) = (0, 0)
      let statement = try connection.prepare(
        "SELECT \(quote(column.name)) FROM \(quote(column.table)) WHERE length(\(quote(column.name))) = 38")
      while try statement.step() {
        guard let name = statement.withBlob(0, { ExternalValues.name(in: $0) }) else { continue }
        let file = values.folder.appending(path: name)
        if !FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
          if isMissed(entity, attribute) { missing += 1 }
        } else if !values.isValue(file)
          || !FileManager.default.isReadableFile(atPath: file.path(percentEncoded: false))
        {
          unreadable += 1
        }
      }
      return [
        StoreLoss(place, missing, "values in files beside the store that are missing"),
        StoreLoss(place, unreadable, "values in files beside the store that cannot be read"),
      ].filter { $0.count > 0 }
    }
  }

  /// Files that hold values of attributes of which nothing tells.
  static func unexplained(_ values: ExternalValues) -> [StoreLoss] {
    let count = values.fileNames().count
    if count == 0 { return [] }
    return [
      StoreLoss(
        values.supportFolder.lastPathComponent, count,
        "files with long values, of which nothing tells where they belong but the store's model")
    ]
  }
}
