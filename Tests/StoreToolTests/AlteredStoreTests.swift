import Foundation
import ProcessTesting
import TICDSSQLite
import Testing

/// Stores to which other programs, and people, have done several things at once: `verify` finds each, `copy` tells of each that is lost, and nothing
/// of what was read is changed.
@Suite struct AlteredStoreTests {
  private enum Alteration: CaseIterable {
    case link, openLog, misfit, strangeText, trigger, lostFile, column, table, counter, parent, oneWay,
      dangling, range, decimalText, unmarked, parentEntity, halfLink,
      metadata, uniqueIndex, missingTrigger, derived

    /// What `verify` calls it; `nil` where it is nothing that is wrong.
    var kind: String? {
      switch self {
      case .link, .openLog: nil
      case .column, .table, .parentEntity: "unexplained"
      case .misfit, .strangeText, .range, .decimalText, .unmarked: "misfit"
      case .halfLink: "danglingLink"
      case .metadata: "metadata"
      case .uniqueIndex: "missingIndex"
      case .missingTrigger: "missingTrigger"
      case .derived: "derivedValue"
      case .trigger: "foreignTrigger"
      case .lostFile: "missingFile"
      case .counter: "keyCounter"
      case .parent: "hierarchy"
      case .oneWay: "inverse"
      case .dangling: "danglingReference"
      }
    }

    /// What `copy` names because it cannot take it along.
    var loss: String? {
      switch self {
      // The copy lacks what the store lacks, and says so.
      case .link, .openLog, .trigger, .counter, .parent, .lostFile, .oneWay, .dangling, .range, .metadata,
        .uniqueIndex,
        .missingTrigger, .derived:
        nil
      case .decimalText: "Note.amount"
      case .unmarked: "Note.image"
      case .parentEntity: "ZNOTE.ZEXTRA"
      case .halfLink: "name no object on one side"
      case .misfit: "Note.count"
      case .strangeText: "Note.title"
      case .column: "ZCOLOUR"
      case .table: "EXTRA"
      }
    }

    var sql: String? {
      switch self {
      case .link, .lostFile: nil
      case .openLog: "UPDATE ZNOTE SET ZRATIO = 0.25, Z_OPT = Z_OPT + 1 WHERE ZTITLE = 'note 1'"
      case .misfit: "UPDATE ZNOTE SET ZCOUNT = 'seven' WHERE ZTITLE = 'note 3'"
      case .strangeText: "UPDATE ZNOTE SET ZTITLE = CAST(x'ff41' AS TEXT) WHERE ZTITLE = 'note 4'"
      case .trigger: "CREATE TRIGGER other AFTER DELETE ON ZTAG BEGIN DELETE FROM ZTAG; END"
      case .column: "ALTER TABLE ZTAG ADD COLUMN ZCOLOUR INTEGER; UPDATE ZTAG SET ZCOLOUR = 1"
      case .table: "CREATE TABLE EXTRA (X); INSERT INTO EXTRA VALUES (1)"
      case .counter: "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Tag'"
      case .oneWay:
        "DELETE FROM Z_2OTHERS WHERE rowid = (SELECT max(rowid) FROM Z_2OTHERS WHERE REFLEXIVE <> Z_2OTHERS)"
      case .dangling: "UPDATE ZFOLDER SET ZPARENT = 999 WHERE ZPARENT IS NOT NULL"
      case .range: "UPDATE ZNOTE SET ZCOUNT = 32768 WHERE ZTITLE = 'note 5'"
      case .decimalText: "UPDATE ZNOTE SET ZAMOUNT = '0x1F' WHERE ZTITLE = 'note 5'"
      case .unmarked: "UPDATE ZNOTE SET ZIMAGE = x'0241' WHERE ZTITLE = 'note 1'"
      case .parentEntity:
        "UPDATE ZNOTE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note') WHERE ZTITLE = 'note 2'"
      case .halfLink: "UPDATE Z_2TAGS SET Z_4TAGS = NULL WHERE rowid = (SELECT max(rowid) FROM Z_2TAGS)"
      case .metadata:
        "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA"
      case .uniqueIndex: "DROP INDEX Z_Tag_UNIQUE_name"
      case .missingTrigger: "DROP TRIGGER Z_DA_ZNOTE_Folder_noteCount_PARAMETER_DELETE"
      case .derived: "UPDATE ZFOLDER SET ZNOTECOUNT = 77 WHERE ZPARENT IS NULL"
      case .parent: "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT WHERE Z_NAME = 'Tag'"
      }
    }
  }

  /// Does what SQL can do. Returns the connection if rows are to stay in the log, which they do as long as it is open.
  private func alter(_ store: String, _ alterations: [Alteration]) throws -> Connection? {
    let connection = try Connection(path: store)
    for alteration in alterations where alteration != .openLog {
      if let sql = alteration.sql { try connection.execute(script: sql) }
    }
    guard alterations.contains(.openLog), let sql = Alteration.openLog.sql else { return nil }
    try connection.execute(script: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; " + sql)
    return connection
  }

  private func image(_ folder: URL) throws -> [String: Data] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    var files: [String: Data] = [:]
    // The index beside a log notes who reads.
    for name in names where !name.hasSuffix("-shm") {
      files[name] = try? Data(contentsOf: folder.appending(path: name))
    }
    return files
  }

  @Test(arguments: 0..<32) func `what several programs have done to a store is found, each by itself`(
    seed: Int
  )
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let folder = tool.folder.appending(path: "real")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var store = folder.appending(path: "store.sqlite").path
    try RoundTripTests.fill(store)
    // Every set of alterations of a few: the bits of a multiple of an odd number.
    let bits = (seed &+ 1) &* 40_503 % (1 << Alteration.allCases.count)
    let alterations = Alteration.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
    let connection = try alter(store, alterations)
    if alterations.contains(.lostFile) {
      let files = folder.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
      for name in try FileManager.default.contentsOfDirectory(atPath: files.path) {
        try FileManager.default.removeItem(at: files.appending(path: name))
      }
    }
    if alterations.contains(.link) {
      try FileManager.default.createSymbolicLink(atPath: tool.path("link.sqlite"), withDestinationPath: store)
      store = tool.path("link.sqlite")
    }
    let before = try image(folder)

    let verified = try await tool.run("verify", store, "--json")
    let refused = try await tool.run("copy", store, tool.path("copy.sqlite"))
    let copied = try await tool.run("copy", store, tool.path("lossy.sqlite"), "--lossy")

    #expect(try image(folder) == before)
    let kinds = try Set(
      verified.output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["kind"] as? String)
      })
    #expect(kinds == Set(alterations.compactMap(\.kind)), "\(alterations)\n\(verified.output)")
    let isWrong = !kinds.subtracting(["foreignTrigger", "unexplained"]).isEmpty
    #expect(verified.ending == .exited(isWrong ? 1 : 0), "\(verified.errors)")
    let losses = alterations.compactMap(\.loss)
    #expect(refused.ending == .exited(losses.isEmpty ? 0 : 14), "\(alterations)\n\(refused.errors)")
    for loss in losses { #expect(refused.errors.contains(loss), "\(loss) in \(refused.errors)") }
    #expect(copied.ending == .exited(0), "\(alterations)\n\(copied.errors)")
    if alterations.contains(.lostFile) { #expect(refused.errors.contains("are missing")) }
    if alterations.contains(.dangling) {
      #expect(refused.errors.contains("Folder.parent: 1 links to objects"))
    }
    if alterations.contains(.openLog) {
      let ratio = try Connection(path: tool.path("lossy.sqlite")).first(
        "SELECT ZRATIO FROM ZNOTE WHERE ZTITLE = 'note 1'")
      #expect(ratio == .real(0.25))
    }
    withExtendedLifetime(connection) {}
  }
}
