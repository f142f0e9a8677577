import Foundation
import SyncProtocol

/// A folder on this device that keeps all that a repair removes or writes, and a log from which it is undone.
///
/// What is removed is copied here and noted before it is removed; what is written is noted before it is written. So the log never
/// lacks anything that was done, and undoing passes over what was noted and not done.
public final class Quarantine {
  typealias Step = QuarantineLog.Step

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
  /// What files bear that a repair was writing when it was killed; `nil` if the log does not tell it any more.
  public let mark: WriterMark?
  private let limits: Limits
  /// Names of copies that were given away.
  private var copies = 0
  /// Steps that were noted.
  private var count = 0
  /// The files that it holds, and their bytes.
  private var held = Limits(files: 0, bytes: 0)
  /// The steps that removed something, by its place.
  private var removals: [RemotePath: Int] = [:]

  /// The log and the count of a quarantine that is being filled. They stay open: what somebody puts in their place meanwhile is not written to.
  private var files: (log: FileHandle, count: FileHandle)?

  /// Whether a repair has made the folder.
  public static func isPresent(at path: String) -> Bool {
    RegularFile.isAnything(at: QuarantineLog.file(in: path))
      || RegularFile.isAnything(at: QuarantineLog.countFile(in: path))
  }

  /// Whether a repair was cut off after it had made the folder, and before it did anything.
  public static func isUnused(at path: String) -> Bool {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return false }
    return names.isEmpty || names == ["repair.count"] && QuarantineLog.count(in: path) == 0
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
    let mark = WriterMark.random()
    self.mark = mark
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let counter = try RegularFile.make(QuarantineLog.countFile(in: path))
      try counter.write(contentsOf: Data(QuarantineLog.text(ofCount: 0)))
      try counter.synchronize()
      files = (try RegularFile.make(QuarantineLog.file(in: path)), counter)
      try add([Step(kind: .writer, path: mark.digits, version: QuarantineLog.version)])
    } catch {
      throw RepairError(quarantine: path, error)
    }
  }

  /// Opens the quarantine of a former repair, to undo that.
  ///
  /// - Throws: ``RepairError`` if there is none.
  public init(at path: String) throws(RepairError) {
    self.path = path
    limits = Limits()
    let log = try QuarantineLog(in: path)
    mark = log.steps.first { $0.kind == .writer }.flatMap { UInt64($0.path, radix: 16) }.map {
      WriterMark(rawValue: $0)
    }
  }

  /// Removes it if nothing was done that it could undo.
  ///
  /// - Returns: whether it is gone.
  public func discardIfUnused() -> Bool {
    guard let log = try? QuarantineLog(in: path),
      log.steps.allSatisfy({ [.writer, .landmark, .rebuilt, .head].contains($0.kind) })
    else { return false }
    return (try? FileManager.default.removeItem(atPath: path)) != nil
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
    copies += 1
    return URL(filePath: path).appending(path: "\(copies)").path(percentEncoded: false)
  }

  /// Notes a step durably, with its copy.
  func note(
    _ kind: Step.Kind, _ place: RemotePath, copy: String? = nil, target: [UInt8]? = nil
  ) throws(RepairError) {
    do {
      var step = Step(kind: kind, path: "\(place)", target: target.map { Data($0) })
      if let copy {
        try Self.synchronize(copy)
        step.copy = URL(filePath: copy).lastPathComponent
        step.size = RegularFile.size(of: copy)
        step.hash = "\(try LocalFile.hash(of: copy))"
        held.bytes += step.size ?? 0
      }
      switch kind {
      case .written, .madeFolder: step.replaces = removals[place]
      case .removed, .removedFolder, .removedLink: removals[place] = count + 1
      default: break
      }
      held.files += 1
      try add([step])
    } catch {
      throw RepairError(quarantine: path, error)
    }
  }

  /// Notes durably what identifies that to which the steps after it are done.
  func note(_ facts: [Step]) throws(RepairError) {
    do { try add(facts) } catch { throw RepairError(quarantine: path, error) }
  }

  private func add(_ steps: [Step]) throws {
    guard !steps.isEmpty, let files else { return }
    var lines = Data()
    for (offset, step) in steps.enumerated() {
      var step = step
      step.number = count + 1 + offset
      lines += try QuarantineLog.line(step)
    }
    try files.log.write(contentsOf: lines)
    try files.log.synchronize()
    count += steps.count
    // Not made durable by itself: one that is too low says of nothing that it is missing.
    try files.count.seek(toOffset: 0)
    try files.count.write(contentsOf: Data(QuarantineLog.text(ofCount: count)))
  }

  private static func synchronize(_ file: String) throws {
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    defer { try? handle.close() }
    try handle.synchronize()
  }

  /// Takes the copy of a step out of the quarantine, if it still is what was kept. What is given back lies where nobody else writes: it cannot
  /// be exchanged after it was looked at.
  ///
  /// - Parameter place: where it goes.
  /// - Returns: why that cannot be done; `nil` if it was.
  func take(_ step: Step, to place: String) -> UndoRemainder.Reason? {
    // Another name only somebody else can have written.
    guard let name = step.copy, Int(name) != nil, let size = step.size, let hash = step.hash else {
      return .init("The log does not tell its copy.")
    }
    let file = URL(filePath: path).appending(path: name).path(percentEncoded: false)
    do {
      try Data().write(to: URL(filePath: place))
      let handle = try FileHandle(forWritingTo: URL(filePath: place))
      defer { try? handle.close() }
      switch try RegularFile.pieces(of: file, limit: size, { try handle.write(contentsOf: $0) }) {
      case nil: break
      case .absent?: return .init("Its copy “\(name)” is gone from the quarantine.")
      default:
        guard RegularFile.size(of: file) == nil else { break }
        return .init(
          "Where its copy “\(name)” was in the quarantine lies a link or something else, which is not followed."
        )
      }
    } catch {
      return .init("Its copy “\(name)” cannot be taken out of the quarantine: \(error.localizedDescription)")
    }
    guard RegularFile.size(of: place) == size, let found = try? LocalFile.hash(of: place), "\(found)" == hash
    else { return .init("Its copy “\(name)” in the quarantine is damaged.") }
    return nil
  }

  /// Copies that lie here and that no step tells of, in order.
  func untold(_ log: QuarantineLog) -> [String] {
    let told = Set(log.steps.compactMap(\.copy))
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.compactMap { Int($0) }.sorted().map { "\($0)" }.filter { !told.contains($0) }
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
