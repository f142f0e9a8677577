import ChangeTracking
import Foundation
import SyncProtocol

/// What a quarantine tells of a repair: the steps, in lines each of which proves itself, and in a file beside them how many there are.
///
/// Whoever undoes a repair must not take a log that has lost lines for a repair that did less. So a line bears a number and the hash of
/// what it says: one that is damaged, or gone between others, shows. How many lines were noted before something was done stands in a
/// file of its own, so it shows too if lines are gone at the end. What was noted and not counted was not done either.
struct QuarantineLog {
  /// One step of a repair, or what identifies what it was done to.
  struct Step: Codable, Hashable {
    enum Kind: String, Codable {
      case removed, removedFolder, removedLink, written, madeFolder
      /// Who writes: the path is the mark that unfinished files bear. It comes first.
      case writer
      /// A file that was there before and stays: where none of these is, another remote is, or nothing any more.
      case landmark
      /// The folder of a document that was made anew.
      case rebuilt
      /// The newest head of a device when a document was made anew.
      case head
    }
    let kind: Kind
    let path: String
    /// Its place in the order of all.
    var number = 0
    /// The format of the whole; in the first one only.
    var version: Int?
    /// The file of the quarantine that holds the same.
    var copy: String?
    /// How many bytes that has.
    var size: Int64?
    /// The hash of that.
    var hash: String?
    /// Where the link that was removed led, byte for byte.
    var target: Data?
    /// The step that removed what lay at the same place.
    var replaces: Int?
    /// What people call the device whose head it is.
    var device: String?
  }

  static let version = 2
  /// No repair notes more; what is longer is not read.
  private static let longest: Int64 = 256 << 20
  /// No line is longer, for paths are not.
  private static let longestLine = 64 << 10

  /// The steps that can be trusted, in their order.
  let steps: [Step]
  /// The numbers of those that were noted and are damaged or gone.
  let missing: [ClosedRange<Int>]
  /// Whether nobody can tell how many there were.
  let isCountUnknown: Bool

  static func file(in quarantine: String) -> String { "\(quarantine)/repair.log" }
  static func countFile(in quarantine: String) -> String { "\(quarantine)/repair.count" }

  /// The step of a number; `nil` if it is none of those that can be trusted.
  func step(_ number: Int) -> Step? {
    var (first, end) = (0, steps.count)
    while first < end {
      let middle = (first + end) / 2
      if steps[middle].number < number { first = middle + 1 } else { end = middle }
    }
    return first < steps.count && steps[first].number == number ? steps[first] : nil
  }
  /// The steps that removed links, in their order.
  private(set) var links: [Step] = []

  // MARK: Reading

  /// Reads the log of a quarantine. Links are not followed.
  ///
  /// - Throws: ``RepairError`` if it cannot be read, or is of another version.
  init(in quarantine: String) throws(RepairError) {
    let counted = Self.count(in: quarantine)
    isCountUnknown = counted == nil
    var found: [Int: Step] = [:]
    var doubtful: Set<Int> = []
    var first: UInt8?
    try Self.lines(of: Self.file(in: quarantine), in: quarantine) { line in
      first = first ?? line.first
      guard let step = Self.step(line) else { return }
      // One that stands there twice says the same.
      if let other = found[step.number], other != step { doubtful.insert(step.number) }
      found[step.number] = step
    }
    for number in doubtful { found[number] = nil }
    guard !found.isEmpty || first != UInt8(ascii: "{") else { throw .otherVersion(path: quarantine) }
    if let version = found[1]?.version, version != Self.version { throw .otherVersion(path: quarantine) }
    steps = found.values.sorted { $0.number < $1.number }
    links = steps.filter { $0.kind == .removedLink }
    missing = Self.gaps(steps.map(\.number), upTo: counted ?? 0)
  }

  private static func gaps(_ numbers: [Int], upTo count: Int) -> [ClosedRange<Int>] {
    var gaps: [ClosedRange<Int>] = []
    var next = 1
    for number in numbers {
      if number > next { gaps.append(next...(number - 1)) }
      next = number + 1
    }
    if count >= next { gaps.append(next...count) }
    return gaps
  }

  /// Hands over the lines of a log one by one. Of one that is too long only the beginning is.
  private static func lines(
    of file: String, in quarantine: String, _ body: ([UInt8]) -> Void
  ) throws(RepairError) {
    var line: [UInt8] = []
    let failure = RegularFile.pieces(of: file, limit: longest) { piece in
      for byte in piece {
        if byte == UInt8(ascii: "\n") {
          if !line.isEmpty { body(line) }
          line.removeAll(keepingCapacity: true)
        } else if line.count < longestLine {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { body(line) }
    if case .unusable(let reason)? = failure {
      throw .quarantine(path: quarantine, reason: "its log \(reason)")
    }
  }

  private static func step(_ line: [UInt8]) -> Step? {
    guard line.count < longestLine else { return nil }
    let digits = 2 * ContentHash.byteCount
    guard line.count > digits + 1, line[digits] == UInt8(ascii: " ") else { return nil }
    let content = Array(line[(digits + 1)...])
    guard Array("\(ContentHash(of: content))".utf8) == Array(line[..<digits]),
      let step = try? JSONDecoder().decode(Step.self, from: Data(content)),
      (1..<Int.max).contains(step.number)
    else { return nil }
    return step
  }

  // MARK: Writing

  /// The line that notes a step.
  static func line(_ step: Step) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let content = try encoder.encode(step)
    return Data("\(ContentHash(of: [UInt8](content))) ".utf8) + content + Data("\n".utf8)
  }

  /// What the file that counts holds; it always has the same length, so it is written in place.
  static func text(ofCount count: Int) -> [UInt8] {
    let digits = "\(count)"
    let number = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
    return Array("\(number) \(ContentHash(of: Array(number.utf8)))\n".utf8)
  }

  /// How many steps were noted before something was done; `nil` if that is lost.
  static func count(in quarantine: String) -> Int? {
    guard case .bytes(let bytes) = RegularFile.content(of: countFile(in: quarantine), limit: 1_024),
      let word = String(data: bytes.prefix(while: { $0 != UInt8(ascii: " ") }), encoding: .utf8),
      let count = Int(word), count >= 0, [UInt8](bytes) == text(ofCount: count)
    else { return nil }
    return count
  }
}
