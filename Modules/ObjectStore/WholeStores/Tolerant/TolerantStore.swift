import CoreDataFormats
import TICDSSQLite

/// An SQLite store of which as much is read as can be: damage, missing tables and columns, a lost model and unknown entities cost what
/// lies there, and nothing else.
///
/// Nothing is written but temporary files, of which the links between objects take some twenty bytes each. What is left out is in
/// ``omissions``; attributes and relationships that could not be read are in ``StoredObject/unread``. Holds a connection, so it
/// belongs to one isolation domain.
public final class TolerantStore: StoredObjectSource {
  /// The file.
  public let path: String
  /// The model that the objects are read with.
  public let model: ManagedObjectModel
  /// Where that model came from.
  public let modelOrigin: StoreFile.ModelOrigin
  /// The store's identity, an upper-case UUID; empty if it cannot be read.
  public let uuid: String
  /// What the store says about itself, as far as it can be read.
  public let metadata: [String: ArchivedObject]

  private let connection: Connection
  private let tables: [String: TolerantTable]
  private let present: PresentSchema
  private let links: TolerantLinks
  private let external: ExternalValues
  private let found: OmissionList
  private var met = OmissionList()
  private var rows: [Int: TolerantRows] = [:]

  /// What opening found to be missing or damaged, and what the last ``forEachObject(of:_:)`` left out.
  public var omissions: [StoreOmission] {
    var listed: Set<StoreOmission> = []
    return (found.omissions + links.list.omissions + met.omissions).filter { listed.insert($0).inserted }
  }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The file, an SQLite database.
  ///   - named: The model to read it with, or `nil` to find one in the file. It need not be the very version.
  /// - Throws: ``StoreFileError`` if it is no database or no model can be found, `SQLiteError` if it cannot be read at all.
  public init(path: String, model named: ManagedObjectModel? = nil) throws {
    let path = StorePath.followingLinks(path)
    guard try StoreFile.kind(of: path) == .sqlite else {
      throw StoreFileError(.otherFormat, path: path, "it is not an SQLite store")
    }
    self.path = path
    connection = try StoreOpening.connect(path: path, options: .init(access: .readOnly), isTolerant: true)
    // One state, whatever others save meanwhile. Where that cannot be had each statement has its own.
    try? connection.run("BEGIN")
    let reading = TolerantOpening(connection: connection)
    try reading.checkFile()
    let stored = try reading.metadata()
    (uuid, metadata) = (stored.uuid, stored.entries)
    (model, modelOrigin) = try reading.model(named: named, path: path)
    if named != nil { reading.compare(model, with: metadata) }
    tables = try reading.tables()
    present = try reading.schema(of: model, tables)
    links = try TolerantLinks(connection, tables: tables, schema: present.schema)
    external = ExternalValues(storePath: path)
    found = reading.list
  }

  /// The URI form of an object's identifier.
  public func uri(of reference: StoredObject.Reference) -> String {
    "x-coredata://\(uuid)/\(model.entities[reference.entity].name)/p\(reference.key)"
  }

  /// Goes through what can be read; only one object and its lists of members are held at a time.
  ///
  /// - Throws: `SQLiteError` for what is no damage of the file, and what `body` throws.
  public func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
    met = OmissionList()
    var counted: Set<String> = []
    for index in entity?.familyIndices ?? Array(model.entities.indices) where present.present.contains(index)
    {
      let entity = model.entities[index]
      guard let table = tables[present.schema.tables[index].name] else { continue }
      // The table of a family is gone through for each of its entities; what is wrong with it is counted once.
      let isFirst = counted.insert(table.name).inserted
      try table.forEachRow(connection, isFirst ? met : OmissionList()) { row in
        guard let owner = row.number.flatMap({ present.schema.entity(numbered: $0) }),
          owner.rootIndex == entity.rootIndex
        else {
          if isFirst { met.note(table.name, "rows of entities that the store does not list", count: 1) }
          return
        }
        guard !owner.isAbstract else {
          if isFirst { met.note(table.name, "rows of entities that are abstract", count: 1) }
          return
        }
        if owner === entity { try body(object(row, of: entity, in: table)) }
      }
    }
  }

  /// One object, looked up by its key; `nil` if it cannot be read.
  ///
  /// - Throws: `SQLiteError` for what is no damage of the file.
  public func object(_ reference: StoredObject.Reference) throws -> StoredObject? {
    guard present.present.contains(reference.entity) else { return nil }
    let entity = model.entities[reference.entity]
    guard let table = tables[present.schema.tables[reference.entity].name],
      let rowID = try rowID(of: reference.key, number: present.schema.tables[reference.entity].number, table)
    else { return nil }
    return try object(TolerantRow(rowID: rowID, key: reference.key), of: entity, in: table)
  }

  /// SQLite's own number of the row with a key.
  private func rowID(of key: Int64, number: Int64, _ table: TolerantTable) throws -> Int64? {
    guard let rowID = TolerantScan.rowID(besides: table.columns) else { return nil }
    do {
      guard
        case .integer(let found)? = try connection.first(
          """
          SELECT \(rowID) FROM \(quote(table.name)) NOT INDEXED
          WHERE \(table.isKeyed ? "Z_PK" : "coalesce(Z_PK, \(rowID))") = ? AND Z_ENT = ?
          """, .integer(key), .integer(number))
      else { return nil }
      return found
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  private func object(
    _ row: TolerantRow, of entity: EntityDescription, in table: TolerantTable
  ) throws -> StoredObject {
    let reader =
      rows[entity.index]
      ?? TolerantRows(
        entity, in: table, schema: present.schema, missing: present.missing[entity.index], links: links,
        connection: connection, external: external)
    rows[entity.index] = reader
    return try reader.object(row) { property, reason in
      met.note("\(entity.name).\(entity.properties[property].name)", reason, count: 1)
    }
  }
}
