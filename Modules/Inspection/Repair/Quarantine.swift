import Foundation
import SyncProtocol

/// A folder on this device that keeps all that a repair removes or writes, and a log from which it is undone.
///
/// What is removed is copied here and noted before it is removed; what is written is noted before it is written. So the log never
/// lacks anything that was done, and undoing passes over what was noted and not done.
public final class Quarantine {
  /// One step of a repair.
  struct Step: Codable, Equatable {
    enum Kind: String, Codable {
      case removed, removedFolder, written, madeFolder
      /// Who writes: the path is the mark that unfinished files bear.
      case writer
    }
    let kind: Kind
    let path: String
    /// The file here that holds the same.
    var copy: String?
  }

  /// Where it lies.
  public let path: String
  /// What files bear that a repair was writing when it was killed; `nil` in a quarantine of an earlier version.
  public let mark: WriterMark?
  private var count: Int

  private var log: URL { Self.log(in: path) }

  private static func log(in path: String) -> URL { URL(filePath: path).appending(path: "repair.log") }

  /// Whether a repair has made the folder.
  public static func isPresent(at path: String) -> Bool {
    FileManager.default.fileExists(atPath: log(in: path).path(percentEncoded: false))
  }

  /// Makes a quarantine for one repair.
  ///
  /// - Parameter path: a folder that does not exist yet.
  /// - Throws: ``RepairError``.
  public init(newAt path: String) throws(RepairError) {
    self.path = path
    count = 0
    let mark = WriterMark.random()
    self.mark = mark
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try Self.line(Step(kind: .writer, path: mark.digits)).write(to: log)
      try Self.synchronize(log.path(percentEncoded: false))
    } catch {
      throw .quarantine(path: path, reason: error.localizedDescription)
    }
  }

  /// Opens the quarantine of a former repair.
  ///
  /// - Throws: ``RepairError`` if there is none.
  public init(at path: String) throws(RepairError) {
    self.path = path
    let steps = try Self.allSteps(in: path)
    count = steps.count
    mark = steps.first { $0.kind == .writer }.flatMap { UInt64($0.path, radix: 16) }.map {
      WriterMark(rawValue: $0)
    }
  }

  /// The steps that were noted, in their order. One that was cut off while it was noted was not done.
  func steps() throws(RepairError) -> [Step] { try Self.allSteps(in: path).filter { $0.kind != .writer } }

  private static func allSteps(in path: String) throws(RepairError) -> [Step] {
    do {
      return try Data(contentsOf: log(in: path)).split(separator: UInt8(ascii: "\n"))
        .compactMap { try? JSONDecoder().decode(Step.self, from: $0) }
    } catch {
      throw .quarantine(path: path, reason: error.localizedDescription)
    }
  }

  /// A place for the copy of one more file.
  func placeForCopy() -> String {
    count += 1
    return URL(filePath: path).appending(path: "\(count)").path(percentEncoded: false)
  }

  /// Notes a step durably, with its copy.
  func note(_ kind: Step.Kind, _ place: RemotePath, copy: String? = nil) throws(RepairError) {
    do {
      if let copy { try Self.synchronize(copy) }
      let name = copy.map { URL(filePath: $0).lastPathComponent }
      let line = try Self.line(Step(kind: kind, path: "\(place)", copy: name))
      let handle = try FileHandle(forUpdating: log)
      defer { try? handle.close() }
      try handle.seekToEnd()
      try handle.write(contentsOf: line)
      try handle.synchronize()
    } catch {
      throw .quarantine(path: path, reason: error.localizedDescription)
    }
  }

  private static func line(_ step: Step) throws -> Data {
    try JSONEncoder().encode(step) + Data("\n".utf8)
  }

  private static func synchronize(_ file: String) throws {
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    defer { try? handle.close() }
    try handle.synchronize()
  }

  /// Where the copy of a step lies; `nil` if its name is none of a copy, as only somebody else can have written it.
  func place(ofCopy name: String) -> String? {
    guard Int(name) != nil else { return nil }
    return URL(filePath: path).appending(path: name).path(percentEncoded: false)
  }

  /// Keeps bytes that are about to be written.
  func write(_ bytes: [UInt8], to place: String) throws(RepairError) {
    do {
      try Data(bytes).write(to: URL(filePath: place))
    } catch {
      throw .quarantine(path: path, reason: error.localizedDescription)
    }
  }
}
