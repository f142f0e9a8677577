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
      case removed, removedFolder, removedLink, written, madeFolder
      /// Who writes: the path is the mark that unfinished files bear.
      case writer
    }
    let kind: Kind
    let path: String
    /// The file here that holds the same.
    var copy: String?
    /// Where the link that was removed led, byte for byte.
    var target: Data?
  }

  /// What a quarantine holds at most: what is put aside may be what somebody has written to fill the disk of whoever repairs.
  public struct Limits: Hashable, Sendable {
    /// Files.
    public var files: Int
    /// Bytes of all files.
    public var bytes: Int64

    /// Sets bounds: 20,000 files and 4 GiB unless others are given.
    public init(files: Int = 20_000, bytes: Int64 = 4 << 30) {
      self.files = files
      self.bytes = bytes
    }
  }

  /// Where it lies.
  public let path: String
  /// What files bear that a repair was writing when it was killed; `nil` in a quarantine of an earlier version.
  public let mark: WriterMark?
  private let limits: Limits
  private var count: Int
  /// The files that it holds, and their bytes.
  private var held = Limits(files: 0, bytes: 0)

  private var log: URL { Self.log(in: path) }

  private static func log(in path: String) -> URL { URL(filePath: path).appending(path: "repair.log") }

  /// Whether a repair has made the folder.
  public static func isPresent(at path: String) -> Bool {
    FileManager.default.fileExists(atPath: log(in: path).path(percentEncoded: false))
  }

  /// Makes a quarantine for one repair.
  ///
  /// - Parameters:
  ///   - path: a folder that does not exist yet.
  ///   - limits: what it holds at most. What does not fit stays where it is on the remote.
  /// - Throws: ``RepairError``.
  public init(newAt path: String, limits: Limits = Limits()) throws(RepairError) {
    self.path = path
    self.limits = limits
    count = 0
    let mark = WriterMark.random()
    self.mark = mark
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try Self.line(Step(kind: .writer, path: mark.digits)).write(to: log)
      try Self.synchronize(log.path(percentEncoded: false))
    } catch {
      throw RepairError(quarantine: path, error)
    }
  }

  /// Opens the quarantine of a former repair.
  ///
  /// - Throws: ``RepairError`` if there is none.
  public init(at path: String) throws(RepairError) {
    self.path = path
    limits = Limits()
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
      throw RepairError(quarantine: path, error)
    }
  }

  /// How many bytes one more copy may have.
  func room() throws(RepairError) -> Int64 {
    guard held.files < limits.files, held.bytes < limits.bytes else { throw isFull }
    return limits.bytes - held.bytes
  }

  /// What is said of a file for which there is no room.
  var isFull: RepairError {
    let size = ByteCountFormatStyle(style: .binary, locale: Locale(identifier: "en_US_POSIX")).format(
      limits.bytes)
    return .cannotBeKept(
      "It does not fit into the quarantine, which holds \(size) and \(limits.files) files at most. It stays where it is; repair again, into another quarantine or one that may hold more."
    )
  }

  /// A place for the copy of one more file.
  func placeForCopy() -> String {
    count += 1
    return URL(filePath: path).appending(path: "\(count)").path(percentEncoded: false)
  }

  /// Notes a step durably, with its copy.
  func note(
    _ kind: Step.Kind, _ place: RemotePath, copy: String? = nil, target: [UInt8]? = nil
  ) throws(RepairError) {
    do {
      if let copy {
        try Self.synchronize(copy)
        held.files += 1
        held.bytes += LocalFile.size(of: copy) ?? 0
      }
      let name = copy.map { URL(filePath: $0).lastPathComponent }
      let line = try Self.line(
        Step(kind: kind, path: "\(place)", copy: name, target: target.map { Data($0) }))
      let handle = try FileHandle(forUpdating: log)
      defer { try? handle.close() }
      try handle.seekToEnd()
      try handle.write(contentsOf: line)
      try handle.synchronize()
    } catch {
      throw RepairError(quarantine: path, error)
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
      throw RepairError(quarantine: path, error)
    }
  }

  /// Keeps a file of this device that is about to be written.
  func keep(_ file: String, at place: String) throws(RepairError) {
    guard LocalFile.size(of: file).map({ $0 <= (try? room()) ?? 0 }) ?? false else { throw isFull }
    do {
      try FileManager.default.copyItem(atPath: file, toPath: place)
    } catch {
      throw RepairError(quarantine: path, error)
    }
  }
}
