import CommandLineTool
import Foundation
import ObjectStore
import TICDSSQLite
import StoreAccess

/// The parameters that several verbs share, and how they open what is named.
enum StoreParameters {
  static let file = Parameter<String>.positional("FILE", "The store, SQLite or binary. It is not written.")
  static let model = Parameter<String?>.optional(
    "model", placeholder: "MODEL",
    "The model to read it with: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or another store that has it. Without it the store's own."
  )
  static let lossy = Parameter<Bool>.flag(
    "lossy", "Goes on although something cannot be taken along. It is listed all the same.")
  static let tolerant = Parameter<Bool>.flag(
    "tolerant", "Reads what can be read of a damaged or incomplete SQLite store, and lists the rest.")
  static let json = Parameter<Bool>.flag("json", "Prints JSON for programs.")

  /// Lists what would be lost, and stops there unless that was agreed to.
  static func report(_ losses: [StoreLoss], isAllowed: Bool, _ console: Console) throws(ToolFailure) {
    for loss in losses { console.complain(PrintableText.line("ticds-store: not taken along: \(loss)")) }
    guard losses.isEmpty || isAllowed else {
      throw ToolFailure(
        .incomplete, "not everything can be taken along, so nothing was written",
        advice: "--model names the store's own model, --lossy does without what is listed")
    }
  }

  /// Refuses to change a store behind the back of the application that synchronises it.
  static func refuseSynchronized(
    _ path: String, _ connection: Connection, _ reason: String, advice: String
  ) throws {
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'TICDS_STATE'") != nil else {
      return
    }
    throw ToolFailure(
      .unsupported, "“\(path)” is kept in step with other devices, \(reason)", advice: advice)
  }

  /// Refuses to write over the store that is read, or over what SQLite keeps beside it. A link to it may be replaced.
  static func refuseReplacing(_ source: String, with outputs: [String]) throws(ToolFailure) {
    let store = URL(filePath: source).resolvingSymlinksInPath().path(percentEncoded: false)
    let own = Set(["", "-wal", "-shm", "-journal"].compactMap { identity(store + $0) })
    for output in outputs {
      if let found = identity(output), own.contains(found) {
        throw ToolFailure.usage(
          "“\(output)” is the store that is read, or belongs to it", advice: "choose another name")
      }
      try refuseJournal(output)
    }
  }

  /// Refuses a name that SQLite gives to a journal of a file which is there.
  static func refuseJournal(_ path: String) throws(ToolFailure) {
    if path.isEmpty {
      throw ToolFailure.usage("the name of the file to be written is empty", advice: "name it")
    }
    for ending in ["-wal", "-shm", "-journal"] where path.hasSuffix(ending) {
      let store = String(path.dropLast(ending.count))
      guard FileManager.default.fileExists(atPath: store) else { continue }
      throw ToolFailure.usage(
        "“\(path)” is the name of a journal of “\(store)”: SQLite would take it for one, and remove it",
        advice: "choose another name")
    }
  }

  /// What tells a file from all others; links are not followed.
  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    return lstat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
  }

  /// Takes back what a program left half done when it ended, which is to write: for commands that write the store anyway.
  static func takeBackUnfinished(_ path: String) {
    guard (try? StoreFile.kind(of: path)) == .sqlite else { return }
    // What cannot be opened is told of by who opens it next.
    let connection = try? Connection(path: path, options: .init(access: .readWrite))
    _ = try? connection?.first("SELECT count(*) FROM sqlite_master")
  }

  /// Whether something is to be taken back still, because a store could not be written to its end.
  static func isUnfinished(_ path: String) -> Bool {
    guard FileManager.default.fileExists(atPath: path + "-journal") else { return false }
    takeBackUnfinished(path)
    do { _ = try StoreFile(path: path) } catch {
      if case .unfinishedChange? = (error.underlying as? StoreError)?.reason { return true }
    }
    return false
  }

  static func open(_ arguments: Arguments) throws -> StoreFile {
    try StoreFile(path: arguments[file], model: arguments[model].map(ModelArgument.load))
  }

  /// The store, to be read as far as it can be; `nil` for a binary store, which is one archive and read as a whole or not at all.
  static func openTolerantly(_ arguments: Arguments) throws -> TolerantStore? {
    let path = try arguments[file]
    guard try StoreFile.kind(of: path) == .sqlite else { return nil }
    return try TolerantStore(path: path, model: arguments[model].map(ModelArgument.load))
  }

  /// The entity of this name, or a failure that names the nearest ones.
  static func entity(_ name: String, of model: ManagedObjectModel) throws(ToolFailure) -> EntityDescription {
    if let entity = model.entity(named: name) { return entity }
    let names = model.entities.map(\.name)
    if let entity = names.first(where: { $0.lowercased() == name.lowercased() }) {
      throw ToolFailure(.notFound, "there is no entity “\(name)”", advice: "did you mean “\(entity)”?")
    }
    throw ToolFailure(
      .notFound, "there is no entity “\(name)”", advice: "the store has \(names.joined(separator: ", "))")
  }
}
