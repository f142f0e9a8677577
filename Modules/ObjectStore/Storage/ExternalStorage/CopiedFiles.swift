import Foundation
import TICDSSQLite

/// Long values that lie in files of their own, for whoever copies a store by its rows.
extension PersistentStore {
  /// The folder beside a store that holds long values; it need not exist.
  public static func externalFolder(ofStoreAt path: String) -> String {
    ExternalValues(storePath: path).folder.path(percentEncoded: false)
  }

  /// Copies the files that the rows of a copy of this store lead to, one after the other, to where a store with another name looks
  /// for them. They are on the disk for good when this returns.
  ///
  /// - Parameters:
  ///   - copy: The copy, which may still have another name.
  ///   - path: The path that it will have.
  /// - Returns: `false` if a file has gone since the copy was made, for its value was replaced. A file that this store misses
  ///   itself is none of these.
  /// - Throws: `SQLiteError`, or a file system error.
  public func copyExternalFiles(of copy: Connection, for path: String) throws -> Bool {
    guard let own = schema.externalValues else { return true }
    let others = ExternalValues(storePath: path)
    // Stores whose names differ in their extension alone share one folder.
    if own.folder == others.folder { return true }
    var copied: [String] = []
    do {
      let gone = try copyFiles(of: copy, from: own, to: others, &copied)
      if try gone.isEmpty || usedNames(gone) == gone { return true }
      others.remove(copied)
      return false
    } catch {
      others.remove(copied)
      throw error
    }
  }

  /// - Parameter copied: gets the names of the files that were not there before.
  /// - Returns: the names of files that are not here.
  private func copyFiles(
    of copy: Connection, from own: ExternalValues, to others: ExternalValues, _ copied: inout [String]
  ) throws -> Set<String> {
    let files = FileManager.default
    var gone: Set<String> = []
    for column in schema.externalColumns {
      let column = (name: quote(column.name), table: quote(column.table))
      let statement = try copy.prepare(
        "SELECT \(column.name) FROM \(column.table) WHERE length(\(column.name)) = 38")
      while try statement.step() {
        guard let name = statement.withBlob(0, { ExternalValues.name(in: $0) }) else { continue }
        let target = others.folder.appending(path: name)
        if files.fileExists(atPath: target.path(percentEncoded: false)) { continue }
        if copied.isEmpty { try files.createDirectory(at: others.folder, withIntermediateDirectories: true) }
        // A file under its name is complete.
        let unfinished = others.folder.appending(path: name + ".unfinished")
        try? files.removeItem(at: unfinished)
        do {
          try files.copyItem(at: own.folder.appending(path: name), to: unfinished)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
          gone.insert(name)
          continue
        }
        try ExternalValues.synchronize(unfinished)
        try files.moveItem(at: unfinished, to: target)
        copied.append(name)
      }
    }
    if !copied.isEmpty {
      try ExternalValues.synchronize(others.folder)
      try ExternalValues.synchronize(others.supportFolder)
      try ExternalValues.synchronize(others.supportFolder.deletingLastPathComponent())
    }
    return gone
  }

  /// Those of some files to which a row leads now.
  private func usedNames(_ names: Set<String>) throws -> Set<String> {
    let connection = try newConnection()
    var used: Set<String> = []
    for column in schema.externalColumns {
      let name = quote(column.name)
      let statement = try connection.prepare(
        "SELECT \(name) FROM \(quote(column.table)) WHERE length(\(name)) = 38")
      while try statement.step() {
        if let name = statement.withBlob(0, { ExternalValues.name(in: $0) }), names.contains(name) {
          used.insert(name)
        }
      }
    }
    return used
  }
}

extension RowEditor {
  /// Whether an attribute's value lies in a file of its own that cannot be read; the value reads as null then, which it is not.
  ///
  /// - Throws: `SQLiteError`.
  public func isFileMissing(_ entity: Int, key: Int64, property: Int) throws -> Bool {
    guard let values = schema.externalValues,
      schema.model.entities[entity].attribute(at: property)?.isMarkedExternal == true,
      case .attribute(let column, _) = schema.tables[entity].storage[property]
    else { return false }
    let statement = try connection.cached(
      "SELECT \(quote(column)) FROM \(quote(schema.tables[entity].name)) WHERE Z_PK = ?")
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step(),
      let name = statement.withBlob(0, { ExternalValues.name(in: $0) })
    else { return false }
    return !FileManager.default.isReadableFile(
      atPath: values.folder.appending(path: name).path(percentEncoded: false))
  }
}
